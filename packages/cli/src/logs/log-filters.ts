/** Filters of the log that a person uses most: flags, query parameter, and what it means. */
export const logFilters = [
  filter('--model <model>', 'model', 'the model that answered'),
  filter('--tag <tag>', 'tag', 'label of the request'),
  filter('--segment <segment>', 'segment', 'family of the system prompt, as `logs segments` prints it'),
  filter('--alias <name>', 'alias', 'requests that named this alias'),
  filter('--trace <id>', 'trace_id', 'steps of this trace'),
  filter('--user <user>', 'user', 'requests of this end user'),
  filter('--session <id>', 'conversation_id', 'requests of this session'),
  filter('--metadata <pair>', 'metadata', 'with this value that the client noted: plan=pro'),
  filter('--finish-reason <reason>', 'finish_reason', 'such as length'),
  filter('--search <words>', 'q', 'words that all occur in the messages or the answer'),
  filter('--start <time>', 'start', 'at or after this time'),
  filter('--end <time>', 'end', 'before this time'),
] as const

function filter(flags: string, parameter: string, description: string) {
  return { flags, parameter, description }
}
