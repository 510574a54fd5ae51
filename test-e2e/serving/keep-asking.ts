import { pauseUnlessAborted } from '@ratchet/service-kit/timing/pause-unless-aborted'
import type OpenAI from 'openai'

export interface Asking {
  /** Whole answers. */
  readonly said: readonly string[]
  /** What a stream had said when it broke off. */
  readonly begun: readonly string[]
  readonly failures: readonly unknown[]
  /** Resolves when the last answer is over. */
  stop(): Promise<void>
}

const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]
/** Time between a refusal and the next question, so that a fleet that is down is not asked without end. */
const afterFailureMs = 200

/** Asks a name all the time, plainly and in streams, and keeps what was answered. */
export function keepAsking(openai: OpenAI, model: string, streams = 2): Asking {
  const said: string[] = []
  const begun: string[] = []
  const failures: unknown[] = []
  const over = new AbortController()

  async function plain(): Promise<void> {
    const { choices } = await openai.chat.completions.create({ model, messages })
    said.push(choices[0]?.message.content ?? '')
  }

  async function stream(): Promise<void> {
    let text = ''
    try {
      for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true })) {
        text += choices[0]?.delta.content ?? ''
      }
      said.push(text)
    } catch (error) {
      if (text !== '') begun.push(text)
      throw error
    }
  }

  async function repeat(ask: () => Promise<void>): Promise<void> {
    while (!over.signal.aborted) {
      await ask().catch(async (error: unknown) => {
        failures.push(error)
        await pauseUnlessAborted(afterFailureMs, over.signal)
      })
    }
  }

  const done = Promise.all([repeat(plain), ...Array.from({ length: streams }, () => repeat(stream))])
  return {
    said,
    begun,
    failures,
    async stop() {
      over.abort()
      await done
    },
  }
}

/** The words of all answers, also of those that broke off; an engine says the name of its weights again and again. */
export function wordsOf({ said, begun }: Pick<Asking, 'said' | 'begun'>): readonly string[] {
  // The last word of what broke off may be cut.
  const whole = begun.map((text) => text.slice(0, text.lastIndexOf(' ') + 1))
  return [...new Set([...said, ...whole].flatMap((text) => text.trim().split(' ')))].filter((word) => word !== '')
}
