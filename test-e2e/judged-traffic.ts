import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { postChat } from './clients.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are read without a schema, like clients do
export type Json = any

interface Answer {
  readonly status: number
  readonly json: Json
  readonly text: string
}

export type Api = (method: string, path: string, body?: unknown) => Promise<Answer>

/** The management API through the edge, as one workspace. */
export function apiOf(fleet: Pick<RunningFleet, 'url'>, { apiKey }: Pick<DemoWorkspace, 'apiKey'>): Api {
  return async (method, path, body) => {
    const response = await fetch(`${fleet.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null }
  }
}

export interface Traffic {
  readonly model: string
  readonly count: number
  readonly tag?: string
  /** Index of the first question, so that several series have different prompts. */
  readonly from?: number
}

/** A logged exchange, with whether it is flawed, which simulated models mark in their answers. */
export interface LoggedExchange {
  readonly id: string
  readonly isFlawed: boolean
}

/** Sends chats and waits until all are logged; resolves with only these. */
export async function sendTraffic(
  fleet: RunningFleet,
  workspace: DemoWorkspace,
  { model, count, tag = `traffic-${performance.now()}`, from = 0 }: Traffic,
): Promise<readonly LoggedExchange[]> {
  const api = apiOf(fleet, workspace)
  const known = new Set((await readLogged(api, tag)).map(({ id }) => id))
  const ask = async (index: number) => {
    const content = `Question ${from + index}: why does item ${from + index} of the list matter?`
    const call = { model, content, apiKey: workspace.apiKey, headers: { 'x-svc-tag': tag } }
    const response = await postChat(fleet, call)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    await response.text()
  }
  for (let index = 0; index < count; index += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - index) }, (_, each) => ask(index + each)))
  }
  return eventually(
    async () => {
      const logged = (await readLogged(api, tag)).filter(({ id }) => !known.has(id))
      return logged.length === count ? logged : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
}

async function readLogged(api: Api, tag: string): Promise<readonly LoggedExchange[]> {
  const logged: LoggedExchange[] = []
  for (let after = ''; ; ) {
    const { json } = await api('GET', `/logs?tag=${encodeURIComponent(tag)}&limit=200${after}`)
    for (const { id, response } of json.data) logged.push({ id, isFlawed: hasFlaw(response.content) })
    if (!json.has_more) return logged
    after = `&after=${logged.at(-1)?.id}`
  }
}

/** All of a series of exchanges were graded, so each was chosen with certainty. */
export const allGraded = { method: 'census', probability: 1 }

/** Grades all of these exchanges correctly. */
export async function gradeTruly(api: Api, exchanges: readonly LoggedExchange[], more: object = {}): Promise<void> {
  for (let from = 0; from < exchanges.length; from += 500) {
    const labels = exchanges
      .slice(from, from + 500)
      .map(({ id, isFlawed }) => ({ log_id: id, label: isFlawed ? 'fail' : 'pass', sampling: allGraded, ...more }))
    const { status, json } = await api('POST', '/labels', { labels })
    if (status !== 201 || json.rejected.length > 0) throw new Error(`${status}: ${JSON.stringify(json).slice(0, 500)}`)
  }
}

/** Reads a background run until it has ended. */
export function untilOver(api: Api, path: string, withinMs = 60_000): Promise<Json> {
  return eventually(
    async () => {
      const { json } = await api('GET', path)
      return ['PENDING', 'RUNNING'].includes(json.status) ? null : json
    },
    { withinMs, everyMs: 100 },
  )
}

/** Number of exchanges that a judge lists at a time. */
const maxListed = 50

interface ListedGrades {
  /** 1,000 when absent. */
  readonly limit?: number
  readonly strategy?: string
  /** Whether people fail an answer; by default one with the mark of simulated models. */
  readonly isWrong?: (text: string) => boolean
  readonly criterion_id?: string
  readonly rationale?: string
}

/** Grades correctly what a judge lists, at most `limit` exchanges. Returns how many of them people failed. */
export async function gradeListed(
  api: Api,
  criterionId: string,
  { limit = 1_000, strategy, isWrong = hasFlaw, ...more }: ListedGrades = {},
): Promise<number> {
  const by = strategy === undefined ? '' : `&strategy=${strategy}`
  let fails = 0
  for (let left = limit; left > 0; ) {
    const page = `/criteria/${criterionId}/next_to_grade?limit=${Math.min(left, maxListed)}${by}`
    const { status, json, text } = await api('GET', page)
    if (status !== 200) throw new Error(`${status}: ${text}`)
    const listed = json.data.map(({ log_id: id, response }: Json) => ({ id, isFlawed: isWrong(response.content) }))
    if (listed.length === 0) break
    await gradeTruly(api, listed, more)
    fails += listed.filter((each: LoggedExchange) => each.isFlawed).length
    left -= listed.length
  }
  return fails
}

/** Whether an answer has the mark with which simulated models own up to a flaw. */
export function hasFlaw(text: string): boolean {
  return text.includes('(flawed)')
}

/** Draws a frame of the judge, which finds the grades that people gave: only grades of a frame count as drawn. */
export async function findGrades(api: Api, criterionId: string): Promise<void> {
  const { status, text } = await api('GET', `/criteria/${criterionId}/next_to_grade?limit=1`)
  if (status !== 200) throw new Error(`${status}: ${text}`)
}

/** Calibrates a judge on the grades that people gave, and waits for the result. */
export async function calibrate(api: Api, criterionId: string, withinMs = 60_000): Promise<Json> {
  await findGrades(api, criterionId)
  const { status, json, text } = await api('POST', `/criteria/${criterionId}/calibrate`, {})
  if (status !== 202) throw new Error(`${status}: ${text}`)
  return untilOver(api, `/criteria/${criterionId}/calibrations/${json.id}`, withinMs)
}

/** Whether the monitor has begun to read the traffic of the workspace. */
export async function hasMonitorStarted(
  { databaseUrl }: Pick<RunningFleet, 'databaseUrl'>,
  { workspaceId }: Pick<DemoWorkspace, 'workspaceId'>,
): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('SELECT 1 FROM monitor_cursor WHERE workspace_id = $1', [workspaceId])
  await client.end()
  return rows.length > 0
}

/** Creates a judge of checks, which asks no model. */
export async function createCheckJudge(api: Api, checks: readonly object[], more: object = {}): Promise<Json> {
  const { status, json, text } = await api('POST', '/criteria', { kind: 'code', checks, ...more })
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return json
}

/** Creates a judge that fails flawed answers. */
export async function createJudge(api: Api, judgeModel: string, more: object = {}): Promise<Json> {
  const { status, json, text } = await api('POST', '/criteria', {
    name: 'No flaws',
    judge_prompt: 'The answer contains a mistake.',
    judge_model: judgeModel,
    ...more,
  })
  if (status !== 201) throw new Error(`${status}: ${text}`)
  return json
}
