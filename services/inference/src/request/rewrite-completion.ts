import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import { parseBody } from './parse-body.ts'
import type { Rewrite } from './rewritten-exchange.ts'

/** Text completions, the older API of OpenAI, as chat completions with one message. */
export const completionRewrite: Rewrite = {
  request(bytes) {
    const { scan, body } = parseBody(bytes)
    refuseUnoffered(body)
    const messages = [{ role: 'user', content: promptOf(body.prompt) }]
    return editTopLevel(bytes, scan, {
      prompt: undefined,
      ...Object.fromEntries(Object.keys(unoffered).map((name) => [name, undefined])),
      messages: JSON.stringify(messages),
      ...(isAbsent(body.max_tokens) ? { max_tokens: String(usualMaxTokens) } : {}),
    })
  },
  reply: (bytes) => rewritten(bytes) ?? bytes,
  frame(raw, data) {
    const bytes = rewritten(Buffer.from(data))
    return bytes === null ? raw : Buffer.concat([Buffer.from('data: '), bytes, Buffer.from('\n\n')])
  },
}

/** What OpenAI generates without a limit. */
const usualMaxTokens = 16

/** Members that a chat completion does not have, with the values that change nothing. */
const unoffered: Readonly<Record<string, readonly unknown[]>> = {
  suffix: [''],
  echo: [false],
  best_of: [1],
  logprobs: [0],
}

function refuseUnoffered(body: Fields): void {
  for (const [param, harmless] of Object.entries(unoffered)) {
    if (isAbsent(body[param]) || harmless.includes(body[param])) continue
    throw new ServiceError('unsupported_parameter', `${param} is not supported: models answer as in a chat.`, { param })
  }
}

function promptOf(prompt: unknown): string {
  const given = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt
  if (typeof given === 'string' && given !== '') return given
  const isKnown = Array.isArray(given)
  throw new ServiceError(
    isKnown ? 'unsupported_parameter' : 'invalid_request',
    isKnown ? 'prompt must be one text: send each prompt in a request of its own.' : 'prompt must be a non-empty text.',
    { param: 'prompt' },
  )
}

/** A chat completion, or a chunk of one, as a text completion; null when it is neither. */
function rewritten(bytes: Buffer): Buffer | null {
  const read = readObject(bytes)
  if (read === null || !Array.isArray(read.body.choices)) return null
  const choices = read.body.choices.map((value) => textChoice(asObject(value) ?? {}))
  return editTopLevel(bytes, read.scan, {
    id: JSON.stringify(String(read.body.id ?? '').replace(/^chatcmpl-/, 'cmpl-')),
    object: '"text_completion"',
    choices: JSON.stringify(choices),
  })
}

function textChoice({ index, message, delta, finish_reason }: Fields): object {
  const said = asObject(message) ?? asObject(delta) ?? {}
  return {
    text: asText(said.content) ?? textOfParts(said.content),
    index: index ?? 0,
    logprobs: null,
    finish_reason: finish_reason ?? null,
  }
}

function textOfParts(content: unknown): string {
  return asList(content)
    .map((part) => asText(asObject(part)?.text) ?? '')
    .join('')
}
