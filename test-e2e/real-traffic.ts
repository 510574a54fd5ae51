import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { realQuestions } from '@ratchet/testing/real-prompts'
import type { Fleet } from './fleet.ts'
import { apiOf } from './judged-traffic.ts'

export interface RealTraffic {
  readonly model: string
  readonly tag: string
  /** Questions, each asked twice: its first turn, and both with an answer between; 80 when absent. */
  readonly questions?: number
}

/** Asks real questions and waits until all of it is logged; how many exchanges that makes, each of another prompt. */
export async function askRealQuestions(
  fleet: Fleet,
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
  await eventually(async () => (await logged()) === 2 * asked.length, { withinMs: 30_000, everyMs: 100 })
  return 2 * asked.length
}

interface Question {
  readonly model: string
  readonly tag: string
  readonly messages: readonly object[]
}

async function ask({ url }: Fleet, { apiKey }: DemoWorkspace, { tag, ...body }: Question): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-svc-tag': tag },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return JSON.parse(text).choices[0].message.content
}
