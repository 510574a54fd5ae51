/** A request that has no equivalent as a chat completion. It is caught inside this folder. */
export class CannotTranslate extends Error {
  override name = 'CannotTranslate'
  readonly code: 'invalid_request' | 'unsupported_parameter' | 'unsupported_tool'
  readonly param: string

  constructor(code: CannotTranslate['code'], param: string, message: string) {
    super(message)
    this.code = code
    this.param = param
  }
}

/** @param what the feature, as the subject of a sentence in the plural */
export function unsupported(param: string, what: string): CannotTranslate {
  return new CannotTranslate('unsupported_parameter', param, `${what} are not supported with this model (${param}).`)
}
