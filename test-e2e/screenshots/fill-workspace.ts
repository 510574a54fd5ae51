import { eventually } from '@ratchet/testing/eventually'
import { agentRun, importRuns } from '../agent-runs.ts'
import { untilInForce } from '../alias-propagation.ts'
import { gradeByScript, openRound, type RoundPerson, truthOf } from '../browser/round-steps.ts'
import { postChat } from '../clients.ts'
import type { Fleet } from '../fleet.ts'
import { apiOf, calibrate, createJudge, gradeListed, type Json } from '../judged-traffic.ts'
import { questionAbout, supportExchange } from './support-desk.ts'

/* What people and programs do in a workspace during some weeks, through the API, with the simulated provider. */

export interface FilledWorkspace {
  readonly judgeId: string
  /** A round with some grades of its owner. */
  readonly roundId: string
  readonly alias: string
  readonly traceId: string
}

/** The gate looks between, so that its picture has a band that narrows. */
const askedOfCanary = 240
const askedBetweenLooks = 40

const waitMs = { withinMs: 180_000, everyMs: 500 }

export async function fillWorkspace(fleet: Fleet, owner: RoundPerson): Promise<FilledWorkspace> {
  const api = apiOf(fleet, fleet.workspace)
  const call = async (method: string, path: string, body: object): Promise<Json> => {
    const { status, json, text } = await api(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status}: ${text.slice(0, 500)}`)
    return json
  }
  const logs = Array.from({ length: 420 }, (_, order) =>
    supportExchange(order, { tag: 'support', minutesAgo: 120 + order * 45, isFlawed: order % 4 === 1 }),
  )
  await call('POST', '/logs/import', { logs })
  const runs = Array.from({ length: 8 }, (_, number) =>
    agentRun({ number, steps: 6, tag: 'research', minutesAgo: 90 + number * 600 }),
  )
  await importRuns(api, runs)

  const population = { population: 'support' }
  const { id: judgeId } = await createJudge(api, 'sim/judge-0.98-0.98', {
    name: 'Sound',
    online_percent: 100,
    ...population,
  })
  await gradeListed(api, judgeId, { limit: 400 })
  await calibrate(api, judgeId, waitMs.withinMs)
  const polite = await createJudge(api, 'sim/judge-0.9-0.93', { name: 'Polite', ...population })
  const roundId = await openRound(owner, { criterion_id: polite.id, frame_rows: 120 })
  await gradeByScript(owner, roundId, { count: 40, choose: (text) => ({ label: truthOf(text) }) })

  const alias = 'support'
  const models = { target_model: 'sim/quality-0.95', canary_model: 'sim/quality-0.93', canary_percent: 50 }
  await call('PUT', '/aliases', { name: alias, ...models, gate_mode: 'recommend', gate_criterion_id: judgeId })
  await untilInForce(api, alias)
  for (let from = 0; from < askedOfCanary; from += askedBetweenLooks) {
    await ask(fleet, { model: alias, from, count: askedBetweenLooks })
    await eventually(async () => {
      const { arms } = (await api('GET', `/aliases/${alias}/gate`)).json
      return arms.target.scored + (arms.canary?.scored ?? 0) >= from + askedBetweenLooks
    }, waitMs)
  }
  await failSome(fleet)
  return { judgeId, roundId, alias, traceId: runs[0]?.traceId ?? '' }
}

/** Requests that fail for some causes. */
async function failSome(fleet: Fleet): Promise<void> {
  for (const model of ['sim/fail-503', 'sim/fail-503', 'sim/fail-429', 'sim/none']) {
    await (await postChat(fleet, { model, headers: { 'x-svc-tag': 'support' } })).text()
  }
}

interface Questions {
  readonly model: string
  readonly from: number
  readonly count: number
}

async function ask(fleet: Fleet, { model, from, count }: Questions): Promise<void> {
  for (let next = from; next < from + count; next += 10) {
    const orders = Array.from({ length: 10 }, (_, index) => 5_000 + next + index)
    await Promise.all(
      orders.map(async (order) => {
        const call = { model, content: questionAbout(order), headers: { 'x-svc-tag': 'support' } }
        const response = await postChat(fleet, call)
        await response.text()
        if (response.status !== 200) throw new Error(`${order}: ${response.status}`)
      }),
    )
  }
}
