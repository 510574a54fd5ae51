/** What differs between the generations of Google's models. */
export interface ModelTraits {
  /** Whether thinking is set as a level, or as a number of tokens. */
  readonly thinking: 'level' | 'budget'
  /** Whether calls have to carry the signature of the thought behind them. */
  readonly wantsSignatures: boolean
}

/** Names are open-ended, so an unknown Gemini is taken for a new one. */
export function traitsOf(model: string): ModelTraits {
  const isOld = /(?:^|\/)gemini-[12](?:[.-]|$)/.test(model)
  const isGemini = /(?:^|\/)gemini-/.test(model)
  return { thinking: isOld ? 'budget' : 'level', wantsSignatures: isGemini && !isOld }
}
