/* Why a request is refused, by the member that the answer names. */

/** Refused with every model. */
export const noPriceOrPlace: Readonly<Record<string, string>> = {
  compaction: 'a summary that the provider writes has no price',
  inference_geo: 'a region has no price',
  'tools.*.type': 'the choice demands a tool that has no price, or that the model does not have',
  'tool_choice.type': 'the choice demands a tool that has no price, or that the model does not have',
  conversation: 'the provider would have the conversation, and workspaces share its account',
  prompt: 'the provider would have the prompt, and workspaces share its account',
  thread: 'the provider would have the conversation, and workspaces share its account',
  'input.*.content.*.file_id': 'the provider would have the file, and workspaces share its account',
  'messages.*.content.*.file.file_id': 'the provider would have the file, and workspaces share its account',
  'messages.*.content.*.source.file_id': 'the provider would have the file, and workspaces share its account',
  'input.*.id': 'no response that is stored has the item',
  previous_response_id: 'the response is not stored',
  null: 'the provider cannot read thoughts whose signature is made up',
}

/** Refused with models of other providers. */
export const noEqualElsewhere: Readonly<Record<string, string>> = {
  frequency_penalty: 'the answer would be another one',
  presence_penalty: 'the answer would be another one',
  logprobs: 'the answer would lack them',
  include: 'the answer would lack the log probabilities',
  modalities: 'the answer would be no sound',
  service_tier: 'the cheaper tier would cost as much as the usual one',
  'input.*.type': 'a compacted conversation can be read by its provider alone',
  'messages.*.content.*.input_audio': 'the model cannot hear',
  'messages.*.content.*.type': 'the model cannot hear',
  'messages.*.content.*.image_url': 'Bedrock does not fetch what a link names',
  'messages.*.content.*.source': 'Bedrock does not fetch what a link names',
  'input.*.content.*.image_url': 'Bedrock does not fetch what a link names',
  'input.*.content.*.file_data': 'Bedrock does not fetch what a link names',
}
