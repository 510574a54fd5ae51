/** What has to be known of a chat request, all of it at hand once its body was read and parsed. */
export interface PromptSize {
  /** Bytes of the JSON body as it came. */
  readonly bodyBytes: number
  readonly messages: readonly unknown[]
  readonly tools: readonly unknown[]
  /** The most tokens one image counts as with the model. */
  readonly imageTokensMax: number
}

/** More than any context window: the caller's arithmetic stops at the window. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER

/** What chat templates and providers add around a conversation, around each message and each tool. Generous. */
const TOKENS_PER_REQUEST = 256
const TOKENS_PER_MESSAGE = 16
const TOKENS_WITH_TOOLS = 1_024
const TOKENS_PER_TOOL = 64

/**
 * More tokens than the prompt can have, without looking at its text. No tokenizer makes more than one token of a
 * byte, and JSON is at least as long as the UTF-8 text it spells, so the bytes of the whole body bound the tokens of
 * all text in it. An image counts a fixed number instead of its bytes. Content that is only referred to (files,
 * earlier audio) or of a kind not known here has no bound but the context window.
 *
 * Takes time proportional to the number of content parts.
 */
export function promptTokensUpperBound({ bodyBytes, messages, tools, imageTokensMax }: PromptSize): number {
  let tokens = bodyBytes + TOKENS_PER_REQUEST + messages.length * TOKENS_PER_MESSAGE
  if (tools.length > 0) tokens += TOKENS_WITH_TOOLS + tools.length * TOKENS_PER_TOOL
  for (const message of messages) {
    if (!isRecord(message)) continue
    if (message.audio !== undefined && message.audio !== null) return UNBOUNDED
    for (const part of Array.isArray(message.content) ? message.content : []) {
      const extra = tokensBeyondBytes(part, imageTokensMax)
      if (extra === null) return UNBOUNDED
      tokens += extra
    }
  }
  return tokens
}

/** Tokens of a part less the bytes already counted for it, or null when they cannot be bounded. */
function tokensBeyondBytes(part: unknown, imageTokensMax: number): number | null {
  if (typeof part === 'string') return 0
  if (!isRecord(part)) return null
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'input_audio': // compressed audio has more bytes than tokens, and base64 a third more
      return 0
    case 'image_url': {
      const url = isRecord(part.image_url) ? part.image_url.url : part.image_url
      if (typeof url !== 'string' || !/^(?:data:image\/|https?:)/i.test(url)) return null
      // In UTF-16 units, of which a text has no more than bytes.
      return imageTokensMax - url.length
    }
    default:
      return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
