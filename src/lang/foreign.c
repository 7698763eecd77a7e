// Characters beyond ASCII that come with text pasted from papers, web pages and word processors,
// and their replacement in the model language.
#include <stddef.h>

#include "lang/lexer.h"

// clang-format off
static const foreign table[] = {
    {0x00A0, "no-break space", " "},       {0x00AD, "soft hyphen", "-"},
    {0x00B0, "degree sign", "*pi/180"},    {0x00B1, "plus-minus sign", "+"},
    {0x00B2, "superscript two", "^2"},     {0x00B3, "superscript three", "^3"},
    {0x00B4, "acute accent", "'"},         {0x00B5, "micro sign", "mu"},
    {0x00B7, "middle dot", "*"},           {0x00B9, "superscript one", "^1"},
    {0x00D7, "multiplication sign", "*"},  {0x00F7, "division sign", "/"},
    {0x02C6, "circumflex", "^"},           {0x02DC, "small tilde", "~"},
    {0x0391, "Greek letter", "Alpha"},     {0x0392, "Greek letter", "Beta"},
    {0x0393, "Greek letter", "Gamma"},     {0x0394, "Greek letter", "Delta"},
    {0x0395, "Greek letter", "Epsilon"},   {0x0396, "Greek letter", "Zeta"},
    {0x0397, "Greek letter", "Eta"},       {0x0398, "Greek letter", "Theta"},
    {0x0399, "Greek letter", "Iota"},      {0x039A, "Greek letter", "Kappa"},
    {0x039B, "Greek letter", "Lambda"},    {0x039C, "Greek letter", "Mu"},
    {0x039D, "Greek letter", "Nu"},        {0x039E, "Greek letter", "Xi"},
    {0x039F, "Greek letter", "Omicron"},   {0x03A0, "Greek letter", "Pi"},
    {0x03A1, "Greek letter", "Rho"},       {0x03A3, "Greek letter", "Sigma"},
    {0x03A4, "Greek letter", "Tau"},       {0x03A5, "Greek letter", "Upsilon"},
    {0x03A6, "Greek letter", "Phi"},       {0x03A7, "Greek letter", "Chi"},
    {0x03A8, "Greek letter", "Psi"},       {0x03A9, "Greek letter", "Omega"},
    {0x03B1, "Greek letter", "alpha"},     {0x03B2, "Greek letter", "beta"},
    {0x03B3, "Greek letter", "gamma"},     {0x03B4, "Greek letter", "delta"},
    {0x03B5, "Greek letter", "epsilon"},   {0x03B6, "Greek letter", "zeta"},
    {0x03B7, "Greek letter", "eta"},       {0x03B8, "Greek letter", "theta"},
    {0x03B9, "Greek letter", "iota"},      {0x03BA, "Greek letter", "kappa"},
    {0x03BB, "Greek letter", "lambda"},    {0x03BC, "Greek letter", "mu"},
    {0x03BD, "Greek letter", "nu"},        {0x03BE, "Greek letter", "xi"},
    {0x03BF, "Greek letter", "omicron"},   {0x03C0, "Greek letter", "pi"},
    {0x03C1, "Greek letter", "rho"},       {0x03C2, "Greek letter", "sigma"},
    {0x03C3, "Greek letter", "sigma"},     {0x03C4, "Greek letter", "tau"},
    {0x03C5, "Greek letter", "upsilon"},   {0x03C6, "Greek letter", "phi"},
    {0x03C7, "Greek letter", "chi"},       {0x03C8, "Greek letter", "psi"},
    {0x03C9, "Greek letter", "omega"},     {0x03D1, "Greek letter", "theta"},
    {0x03D5, "Greek letter", "phi"},       {0x03F5, "Greek letter", "epsilon"},
    {0x2002, "en space", " "},             {0x2003, "em space", " "},
    {0x2007, "figure space", " "},         {0x2009, "thin space", " "},
    {0x200A, "hair space", " "},           {0x200B, "zero-width space", " "},
    {0x2010, "hyphen", "-"},               {0x2011, "no-break hyphen", "-"},
    {0x2012, "figure dash", "-"},          {0x2013, "en dash", "-"},
    {0x2014, "em dash", "-"},              {0x2018, "left curly quote", "'"},
    {0x2019, "right curly quote", "'"},    {0x201A, "low quote", "'"},
    {0x201C, "left curly quotes", "\""},   {0x201D, "right curly quotes", "\""},
    {0x201E, "low quotes", "\""},          {0x2022, "bullet", "*"},
    {0x2026, "ellipsis", "..."},           {0x202F, "narrow no-break space", " "},
    {0x2032, "prime", "'"},                {0x2033, "double prime", "\""},
    {0x2044, "fraction slash", "/"},       {0x2060, "word joiner", " "},
    {0x2115, "letter N", "N"},             {0x211D, "letter R", "R"},
    {0x2126, "ohm sign", "Omega"},         {0x2192, "arrow", "="},
    {0x2202, "partial sign", "d"},         {0x2206, "increment sign", "Delta"},
    {0x2212, "minus sign", "-"},           {0x2215, "division slash", "/"},
    {0x2217, "asterisk operator", "*"},    {0x2219, "bullet operator", "*"},
    {0x221A, "square root", "sqrt"},       {0x221E, "infinity sign", "inf"},
    {0x2223, "divides sign", "|"},         {0x2227, "logical and", "&"},
    {0x2228, "logical or", "|"},           {0x2236, "ratio sign", ":"},
    {0x223C, "tilde operator", "~"},       {0x2248, "almost equal sign", "=="},
    {0x2260, "not-equal sign", "~="},      {0x2264, "less-or-equal sign", "<="},
    {0x2265, "greater-or-equal sign", ">="}, {0x22A4, "transpose sign", "'"},
    {0x22BA, "transpose sign", "'"},       {0x22C5, "dot operator", "*"},
    {0x3000, "ideographic space", " "},    {0xFEFF, "byte order mark", " "},
};

// Full-width forms of ASCII, U+FF01 to U+FF5E, without letters and digits.
static const foreign wide[] = {
    {0xFF08, "full-width parenthesis", "("}, {0xFF09, "full-width parenthesis", ")"},
    {0xFF0A, "full-width asterisk", "*"},    {0xFF0B, "full-width plus", "+"},
    {0xFF0C, "full-width comma", ","},       {0xFF0D, "full-width minus", "-"},
    {0xFF0E, "full-width full stop", "."},   {0xFF0F, "full-width slash", "/"},
    {0xFF1A, "full-width colon", ":"},       {0xFF1B, "full-width semicolon", ";"},
    {0xFF1D, "full-width equals sign", "="}, {0xFF3B, "full-width bracket", "["},
    {0xFF3D, "full-width bracket", "]"},     {0x3001, "ideographic comma", ","},
};
// clang-format on

// Find a character in the tables.
foreign td_foreign(int code) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].code == code) return table[i];
  }
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
    if (wide[i].code == code) return wide[i];
  }
  return (foreign){code, NULL, NULL};
}
