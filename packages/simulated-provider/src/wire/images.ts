import { countTokens } from '../answers/tokenize.ts'
import { checkPrompt } from './model-limits.ts'
import { integerIn, textOf, wrongValue } from './read-fields.ts'
import { type Call, createdAt, type Reply } from './reply.ts'
import { reportedUsage, usageOf } from './usage.ts'

/** Tokens of an image of a size that is not named, by its quality. */
const tokensOfQuality: Readonly<Record<string, number>> = { low: 272, medium: 1_056, auto: 1_056, high: 4_160 }

/** A picture of one transparent point, as PNG in base64. */
const onePoint = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg=='

/** POST /v1/images/generations. A model that is priced per image reports no tokens. */
export function answerImages(call: Call): Reply {
  const { body, model } = call
  const prompt = countTokens(textOf(body, 'prompt'))
  checkPrompt(prompt, model, 'prompt')
  const n = integerIn(body, 'n', 1, 10) ?? 1
  const quality = String(body.quality ?? 'auto')
  const each = tokensOfQuality[quality]
  if (each === undefined) throw wrongValue('quality', quality, Object.keys(tokensOfQuality))
  const data = Array.from({ length: n }, () => ({ b64_json: onePoint }))
  const created = createdAt(call.name)
  if (model.maxOutputTokens === 0) {
    return { kind: 'json', status: 200, body: JSON.stringify({ created, data }), tokens: 0, usage: null }
  }
  const usage = usageOf(prompt, each * n, null)
  const reported = reportedUsage(usage, call.behaviour)
  const counts =
    reported === null
      ? {}
      : {
          usage: {
            input_tokens: reported.prompt,
            input_tokens_details: { text_tokens: reported.prompt, image_tokens: 0 },
            output_tokens: reported.completion,
            total_tokens: reported.prompt + reported.completion,
          },
        }
  return { kind: 'json', status: 200, body: JSON.stringify({ created, data, ...counts }), tokens: 0, usage }
}
