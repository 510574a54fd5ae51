import type { ExchangeContent } from './logged-exchange.ts'

/** An exchange as a training example: its messages and the answer behind them, each with `role` and `content`. */
export function trainingLine({ messages, response }: ExchangeContent): string {
  const all = [...(JSON.parse(messages) as readonly object[]), JSON.parse(response) as object]
  return JSON.stringify({
    messages: all.map((message) => ('content' in message ? message : { ...message, content: null })),
  })
}
