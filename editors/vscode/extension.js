// Starts `tendril lsp` for model texts.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = vscode.workspace.getConfiguration("tendril").get("program", "tendril");
  client = new LanguageClient("tendril", "Tendril", { command, args: ["lsp"] }, { documentSelector: [{ language: "tendril" }] });
  return client.start();
};

exports.deactivate = () => (client ? client.stop() : undefined);
