export interface OutputText {
  readonly type: 'output_text'
  text: string
  readonly annotations: readonly unknown[]
  readonly logprobs: unknown[]
}

export interface OutputRefusal {
  readonly type: 'refusal'
  refusal: string
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface OutputMessage {
  readonly type: 'message'
  readonly id: string
  readonly role: 'assistant'
  status: ItemStatus
  readonly content: (OutputText | OutputRefusal)[]
}

export interface OutputReasoning {
  readonly type: 'reasoning'
  readonly id: string
  readonly summary: readonly unknown[]
  readonly content: { readonly type: 'reasoning_text'; text: string }[]
  status: ItemStatus
}

export interface OutputCall {
  readonly type: 'function_call'
  readonly id: string
  readonly call_id: string
  readonly name: string
  arguments: string
  status: ItemStatus
  /** Members that the provider requires back with the call, such as the signature of its reasoning. */
  extra_content?: object
  /** The reasoning of the whole turn as its provider requires it back; only on the turn's first call. */
  reasoning_details?: readonly unknown[]
}

/** A call of a custom tool, whose input is a text. */
export interface OutputCustomCall {
  readonly type: 'custom_tool_call'
  readonly id: string
  readonly call_id: string
  readonly name: string
  input: string
  status: ItemStatus
  extra_content?: object
  reasoning_details?: readonly unknown[]
}

/** An item of a response's output that is made from a chat completion. */
export type OutputItem = OutputMessage | OutputReasoning | OutputCall | OutputCustomCall
