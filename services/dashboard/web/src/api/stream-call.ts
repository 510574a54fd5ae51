import { brandOf } from '@ratchet/contracts/brand'
import { createChatCompletion } from '@ratchet/contracts/chat'
import { failureOf } from '@ratchet/contracts/client/endpoint-client'
import { loggedHeader } from '@ratchet/contracts/logged-state'
import { addressOf } from './address.ts'
import { apiErrorOf } from './api-error.ts'
import { createStreamReader } from './event-stream.ts'
import { sendRequest } from './send-request.ts'

/** What an answer says about itself before its content arrives. */
export interface StreamHead {
  readonly servedModel: string | null
  readonly alias: string | null
  readonly fallbackFrom: string | null
  /** Whether the exchange will be in the log once the answer is complete. */
  readonly isLogged: boolean
}

export interface ChatStream {
  readonly slug: string
  /** The word in the names of headers. */
  readonly brandWord: string
  readonly body: Readonly<Record<string, unknown>>
  readonly tag: string
  /** The session that the log names, by which its entry is found. */
  readonly session: string
  /** False: the exchange is not logged. */
  readonly isLogged: boolean
  readonly signal: AbortSignal
  readonly onHead: (head: StreamHead) => void
  /** Called with the JSON of each part of the answer. */
  readonly onPart: (part: unknown) => void
}

/** Sends a chat request and passes its answer on as it arrives. Rejects like `call`. Aborting `signal` stops the model. */
export async function streamChat(stream: ChatStream) {
  const { slug, brandWord, body, tag, session, isLogged, signal, onHead, onPart } = stream
  const { headers: names } = brandOf(brandWord)
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    [names.tag]: tag,
    [names.session]: session,
    ...(isLogged ? {} : { [names.log]: 'off' }),
  }
  const sent = { ...body, stream: true, stream_options: { include_usage: true } }
  const init = { method: 'POST', headers, body: JSON.stringify(sent), signal }
  const answer = await sendRequest(addressOf(createChatCompletion.path, slug), init)
  if (!answer.ok) {
    throw apiErrorOf(failureOf(answer.status, await answer.text()), answer.headers.get('retry-after'))
  }
  onHead({
    servedModel: answer.headers.get(names.servedModel),
    alias: answer.headers.get(names.alias),
    fallbackFrom: answer.headers.get(names.fallbackFrom),
    isLogged: answer.headers.get(names.logged) === loggedHeader(null),
  })
  await readParts(answer, onPart)
}

async function readParts({ body }: Response, onPart: (part: unknown) => void): Promise<void> {
  if (body === null) return
  const read = createStreamReader()
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const part of read(value)) {
      if (part.kind === 'event' && part.data !== '[DONE]') onPart(JSON.parse(part.data))
    }
  }
}
