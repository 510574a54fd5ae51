/** The differences between the generations of Google's models. */
export interface ModelTraits {
  /** Thinking is set either as a level or as a number of tokens. */
  readonly thinking: 'level' | 'budget'
  /** True when calls must have the signature of their reasoning. */
  readonly wantsSignatures: boolean
}

/** Names are open-ended, so an unknown Gemini is taken for a new one. */
export function traitsOf(model: string): ModelTraits {
  const isOld = /(?:^|\/)gemini-[12](?:[.-]|$)/.test(model)
  const isGemini = /(?:^|\/)gemini-/.test(model)
  return { thinking: isOld ? 'budget' : 'level', wantsSignatures: isGemini && !isOld }
}
