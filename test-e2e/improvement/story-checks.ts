import { checksModel } from '@ratchet/contracts/criterion-checks'
import { adminAudit, cleanAudit } from '../admin-audit.ts'
import type { Json } from '../judged-traffic.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { chargedFor } from './charged-for.ts'
import type { AskingProgram } from './keep-asking.ts'
import type { Improving } from './steps-by-api.ts'

interface Promotion {
  readonly program: AskingProgram
  /** The model that took the place of the base. */
  readonly model: string
  /** Index of the first answer that was asked for when the promotion was in force. */
  readonly from: number
}

/** No request failed, and no model has answered but the base and the one that was proven. */
export function noticedNothing(
  { base, isWrong }: Pick<Improving, 'base' | 'isWrong'>,
  { program, model, from }: Promotion,
): void {
  const { answers } = program
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ served }) => served))).toEqual(new Set([base, model]))
  expect(new Set(answers.slice(from).map(({ served }) => served))).toEqual(new Set([model]))
  const wrongShare = (served: string) => {
    const own = answers.filter((each) => each.served === served)
    return own.filter(({ text }) => isWrong(text)).length / own.length
  }
  expect(wrongShare(model)).toBeLessThan(wrongShare(base) / 2)
}

/** The way from the log to the alias, each step with the next. */
export async function isTraced({ read, alias }: Improving, { path, id }: Json): Promise<void> {
  const { nodes, edges } = await read(`${path}/lineage`)
  const typeOf = (node: string) => nodes.find((each: Json) => each.id === node)?.type
  const steps = new Set(edges.map(({ from, to }: Json) => `${typeOf(from)} ${typeOf(to)}`))
  const way = ['log_filters dataset', 'dataset job', 'job checkpoint', 'checkpoint version', 'version eval']
  expect(steps).toEqual(new Set([...way, 'version adoption', 'adoption promotion']))
  const { data: events } = await read(`/aliases/${alias}/events`)
  expect(events.map(({ kind }: Json) => kind)).toEqual(['gate_promote', 'canary_set', 'created'])
  const [promotion, adoption] = events.map(({ id: event }: Json) => event)
  expect(edges).toEqual(
    expect.arrayContaining([
      { from: id, to: adoption },
      { from: adoption, to: promotion },
    ]),
  )
}

/** What the wallet has before the story. */
export const storyBalanceUsd = 200

const nano = (usd: number) => BigInt(Math.round(usd * 1e9))

interface Bill {
  readonly program: AskingProgram
  readonly job: Json
  readonly compared: Json
}

/** What each part says of its cost is what the wallet paid, to the nano-dollar. */
export async function isPaid({ fleet }: Improving, { program, job, compared }: Bill): Promise<void> {
  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  const { ofAlias, byKind, all } = await chargedFor(fleet)
  expect(ofAlias).toBe(program.answers.reduce((sum, { costNano }) => sum + costNano, 0n))
  const { judge = 0n, ...others } = byKind
  expect(others).toEqual({ chat: ofAlias, training: nano(job.cost_usd), eval: nano(compared.cost_usd) })
  // The judge of the eval was also asked about what was logged. Checks cost nothing.
  if (compared.judge_model === checksModel) expect(judge).toBe(0n)
  else expect(judge).toBeGreaterThan(nano(compared.judge_cost_usd))
  const { balance } = await ledgerAtRest(fleet, fleet.workspace)
  expect(nano(storyBalanceUsd) - balance).toBe(all)
}
