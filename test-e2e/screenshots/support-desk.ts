import type { Json } from '../judged-traffic.ts'

/* Conversations of a support desk, so that pictures show what a workspace in use looks like. */

type Wording = readonly [question: (order: number) => string, answer: (order: number) => string]

const wordings: readonly Wording[] = [
  [
    (order) => `Where is my order ${order}? It should have arrived on Monday.`,
    (order) => `Order ${order} left our warehouse and arrives tomorrow before noon. You get a message with the hour.`,
  ],
  [
    (order) => `Can I still change the address of order ${order}?`,
    (order) => `Yes, order ${order} is not packed yet. Send me the new address and I change it at once.`,
  ],
  [
    (order) => `The kettle from order ${order} leaks. What can I do?`,
    () => 'I am sorry. Send it back within 30 days with the label in the box; a new kettle leaves the same day.',
  ],
  [
    (order) => `I was charged twice for order ${order}.`,
    (order) => `One of the two payments for order ${order} was only reserved. Your bank releases it within three days.`,
  ],
  [
    (order) => `Please cancel order ${order}.`,
    (order) => `Order ${order} is cancelled. The money is on your account within two working days.`,
  ],
  [
    (order) => `Does the lamp in order ${order} work with a dimmer?`,
    () => 'It does, with every dimmer for LED lamps between 3 and 60 watts.',
  ],
]

const wordingOf = (order: number): Wording => wordings[order % wordings.length] as Wording

export const questionAbout = (order: number): string => wordingOf(order)[0](order)

/** A logged exchange for the import; the simulated judges take an answer for wrong if it contains `(flawed)`. */
export function supportExchange(
  order: number,
  { tag, minutesAgo, isFlawed }: { readonly tag: string; readonly minutesAgo: number; readonly isFlawed: boolean },
): Json {
  return {
    model: 'acme/support-chat',
    tag,
    finish_reason: 'stop',
    latency_ms: 600 + ((order * 37) % 900),
    cost_usd: 0.002,
    created_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    messages: [
      { role: 'system', content: 'You answer customers of a shop for household goods, briefly and politely.' },
      { role: 'user', content: questionAbout(order) },
    ],
    response: { role: 'assistant', content: `${isFlawed ? '(flawed) ' : ''}${wordingOf(order)[1](order)}` },
  }
}
