import type { CallWriters, WriterOrder } from './call-writers.ts'

/** Answers what the last turn of the caller, and the number of turns, decide. */
export type TestAnswer = (turns: readonly { readonly role: string; readonly text: string }[]) => string

export interface TestWriters extends CallWriters {
  readonly orders: WriterOrder[]
  readonly requests: (readonly { readonly role: string; readonly text: string }[])[]
}

/** A model that writes some words every 15 ms. `call NAME JSON` calls a tool, `fails` is a model that fails. */
export function testWriters(answer: TestAnswer): TestWriters {
  const orders: WriterOrder[] = []
  const requests: TestWriters['requests'] = []
  return {
    orders,
    requests,
    open(order) {
      orders.push(order)
      return {
        answer({ turns }, { onText, onTools, onEnd, onFailed }) {
          requests.push(turns.map(({ role, text }) => ({ role, text })))
          const written = answer(turns)
          if (written === 'fails') {
            setImmediate(onFailed)
            return () => undefined
          }
          const [, name, json = ''] = /^call (\w+) (.*)$/.exec(written) ?? []
          if (name !== undefined) {
            setImmediate(() => {
              onTools([{ id: `c${requests.length}`, name, arguments: json }])
              onEnd()
            })
            return () => undefined
          }
          const deltas = written.split(/(?<= )/)
          let at = 0
          const timer = setInterval(() => {
            const delta = deltas[at++]
            if (delta !== undefined) return onText(delta)
            clearInterval(timer)
            onEnd()
          }, 15)
          return () => undefined
        },
      }
    },
  }
}
