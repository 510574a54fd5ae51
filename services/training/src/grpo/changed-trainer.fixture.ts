import { buffer } from 'node:stream/consumers'
import { listen } from '../driver/listen.fixture.ts'
import { createSimTrainer } from '../trainers/sim/sim-trainer.ts'
import type { Trainer } from '../trainers/trainer.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests change bodies as a hostile trainer would
export type Body = any

export interface Changes {
  /** The end of the path of the calls whose bodies it changes. */
  readonly of: 'trained' | 'rollouts'
  readonly change: (body: Body) => Body
  readonly onAnswer?: (answer: Body) => void
}

export interface ChangedTrainers {
  trainerSaying(changes: Changes): (onExit: (name: string) => void) => Trainer
  /** Closes what passes calls on. */
  stop(): void
}

/** Simulated trainers whose calls to the service are changed on their way. */
export function changedTrainers(): ChangedTrainers {
  const undo: (() => void)[] = []
  /** Passes calls on to the service, some with other bodies. */
  async function passingOn(service: string, { of, change, onAnswer = () => undefined }: Changes): Promise<string> {
    const { server, url } = await listen(async (request, response) => {
      const sent = await buffer(request)
      const isChanged = request.url?.endsWith(`/${of}`) === true
      const body = isChanged ? JSON.stringify(change(JSON.parse(sent.toString()))) : sent
      const { host, 'content-length': length, connection, ...headers } = request.headers
      const answer = await fetch(`${service}${request.url}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(sent.length === 0 ? {} : { body }),
      })
      const text = await answer.text()
      if (isChanged) onAnswer({ status: answer.status, body: JSON.parse(text) })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(text)
    })
    undo.push(() => void server.close())
    return url
  }

  return {
    trainerSaying: (changes) => (onExit) => {
      const sim = createSimTrainer({ slots: 2, jobMs: 50, now: () => new Date(), retryForMs: 2_000, onExit })
      return { ...sim, start: async (order) => sim.start({ ...order, url: await passingOn(order.url, changes) }) }
    },
    stop() {
      for (const step of undo) step()
    },
  }
}
