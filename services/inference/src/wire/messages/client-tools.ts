/**
 * Types of tools that the client runs. All of Anthropic's own but `custom` have a date, as in `bash_20250124`. Any other
 * type runs at the provider and is billed apart, so it is never passed on.
 */
export const clientTools = /^(custom|bash_|text_editor_|computer_|memory_|browser_toolset_)/
