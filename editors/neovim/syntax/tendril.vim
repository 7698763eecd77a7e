" Tendril models
if exists("b:current_syntax") | finish | endif
syn keyword tendrilKeyword if elseif else for while switch case otherwise break continue return function try catch global end endif endfor endwhile endswitch endfunction
syn keyword tendrilStructure par world body fluid joint rod chamber cable contact mesh exload magnet dynamics sensor output event control task fit prior
syn keyword tendrilFunction pos rot quat vel omega acc length stretch strain coord dcoord force wrench lambda tension dof ddof energy com param input ramp step at include table
syn keyword tendrilConstant pi inf Inf nan NaN eps true false
syn match tendrilField "\.\a\w*"
syn match tendrilNumber "\<\d\+\.\?\d*\([eE][-+]\?\d\+\)\?\>"
syn match tendrilTranspose "[A-Za-z0-9_)\]}]\zs'"
syn match tendrilString "\(^\|[^A-Za-z0-9_)\]}']\)\zs'\([^']\|''\)*'"
syn region tendrilString start=+"+ skip=+\\.+ end=+"+ oneline
syn match tendrilComment "[%#].*$"
syn region tendrilComment start="^\s*[%#]{\s*$" end="^\s*[%#]}\s*$"
hi def link tendrilKeyword Statement
hi def link tendrilStructure Type
hi def link tendrilFunction Function
hi def link tendrilConstant Constant
hi def link tendrilField Identifier
hi def link tendrilNumber Number
hi def link tendrilString String
hi def link tendrilComment Comment
let b:current_syntax = "tendril"
