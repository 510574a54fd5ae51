/**
 * Parameters of a chat completion that change what is answered or what it costs. A provider that does not have one
 * refuses it. Any other parameter that it does not have is a label or a hint.
 */
export const meaningfulParameters: ReadonlySet<string> = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'grammar',
  'guided_choice',
  'guided_grammar',
  'guided_json',
  'guided_regex',
  'logit_bias',
  'logprobs',
  'min_p',
  'min_tokens',
  'modalities',
  'n',
  'presence_penalty',
  'repetition_penalty',
  'structured_outputs',
  'top_a',
  'top_logprobs',
])
