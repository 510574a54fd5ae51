import type { Message, StoredExchange } from './stored-exchange.ts'

const first = Date.UTC(2026, 2, 1)

/** The n-th exchange of a test; time and id follow from `n`. */
export function exchangeOf(n: number, changes: Partial<StoredExchange> = {}): StoredExchange {
  return {
    id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    createdAt: new Date(first + n * 1_000),
    expiresAt: new Date(first + 86_400_000 * 30),
    sizeBytes: 100,
    traceId: null,
    conversationId: null,
    finishReason: 'stop',
    segment: 'none',
    messages: [user(`question ${n}`)],
    response: assistant(`answer ${n}`),
    tools: null,
    ...changes,
  }
}

export function system(content: string): Message {
  return { role: 'system', content }
}

export function user(content: string): Message {
  return { role: 'user', content }
}

export function assistant(content: string): Message {
  return { role: 'assistant', content }
}

/** Runs a generator to its end and returns its result. */
export function finish<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}
