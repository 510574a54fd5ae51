import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { realQuestions } from '@ratchet/testing/real-prompts'
import { apiOf } from './judged-traffic.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

export interface RealTraffic {
  readonly model: string
  readonly tag: string
  /** Number of questions, 80 by default. Each makes two requests: its first turn, and both turns with an answer between. */
  readonly questions?: number
}

/** Sends real questions and waits until all are logged; resolves with the number of exchanges, each with another prompt. */
export async function askRealQuestions(
  fleet: RunningFleet,
  workspace: DemoWorkspace,
  { model, tag, questions = 80 }: RealTraffic,
): Promise<number> {
  const asked = realQuestions().slice(0, questions)
  for (let from = 0; from < asked.length; from += 10) {
    await Promise.all(
      asked.slice(from, from + 10).map(async ({ turns: [first, second] }) => {
        const opening = [{ role: 'user', content: first }]
        const content = await ask(fleet, workspace, { model, tag, messages: opening })
        const messages = [...opening, { role: 'assistant', content }, { role: 'user', content: second }]
        await ask(fleet, workspace, { model, tag, messages })
      }),
    )
  }
  const api = apiOf(fleet, workspace)
  const logged = async () => (await api('GET', `/logs?tag=${tag}&content=none&limit=1`)).json.total
  await eventually(async () => (await logged()) === 2 * asked.length, { withinMs: 45_000, everyMs: 100 })
  return 2 * asked.length
}

interface Question {
  readonly model: string
  readonly tag: string
  readonly messages: readonly object[]
}

async function ask({ url }: RunningFleet, { apiKey }: DemoWorkspace, { tag, ...body }: Question): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-svc-tag': tag },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return JSON.parse(text).choices[0].message.content
}
