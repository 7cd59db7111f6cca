export async function runDocumentedCommands() {}
