import { connectPool } from '@ratchet/db/connect-pool'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import type OpenAI from 'openai'
import { openaiFor } from '../clients.ts'
import { type Answered, readJson } from '../fine-tuning/read-json.ts'
import type { Json } from '../judged-traffic.ts'
import { type TrainedVersion, trainVersions } from '../pool/train-versions.ts'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'
import { servedBase } from './scripted-serving.ts'

const waits = { withinMs: 120_000, everyMs: 200 }

/** A workspace whose versions are served, as a test of serving uses it. */
export interface ServedWorkspace {
  readonly workspace: DemoWorkspace
  readonly openai: OpenAI
  ask(method: string, under: string, body?: object): Promise<Answered>
  /** Two versions of one job, which nothing but engines serves. */
  train(): Promise<readonly TrainedVersion[]>
  /** Has the pool serve a version. */
  serve(version: TrainedVersion): Promise<void>
  servingOf(version: TrainedVersion): Promise<Json>
  create(more?: object): Promise<Json>
  /** Waits until an endpoint has so many replicas, all ready. */
  untilReady(id: string, replicas: number): Promise<Json>
  /** Deletes an endpoint, and waits until no request reaches it. */
  remove(id: string): Promise<void>
}

export async function servedWorkspace(fleet: RunningFleet): Promise<ServedWorkspace> {
  const workspace = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '1000' })
  const { apiKey } = workspace
  const ask: ServedWorkspace['ask'] = (method, under, body) =>
    readJson(`${fleet.url}/v1${under}`, { method, apiKey, body })
  /** Also while parts of the fleet are down. */
  const done = (method: string, under: string, body?: object) =>
    eventually(async () => {
      const { status, json } = await ask(method, under, body)
      expect([status < 300, json]).toEqual([true, expect.anything()])
      return json
    }, waits)
  return {
    workspace,
    openai: openaiFor(fleet, { apiKey }),
    ask,
    async train() {
      const versions = await trainVersions({ url: fleet.url, workspace }, servedBase)
      const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
      await pool.query('UPDATE model_version SET served_as = NULL WHERE workspace_id = $1', [workspace.workspaceId])
      await pool.end()
      return versions
    },
    async serve({ path }) {
      await done('POST', `${path}/serve`, { in: 'pool' })
    },
    async servingOf({ path }) {
      return (await ask('GET', path)).json.serving
    },
    create: (more = {}) =>
      done('POST', '/dedicated/endpoints', { name: 'Parcels', model: servedBase, hardware: 'cpu-1x', ...more }),
    untilReady: (id, replicas) =>
      eventually(async () => {
        const { json } = await ask('GET', `/dedicated/endpoints/${id}`)
        expect([json.state, json.replicas.map(({ state }: Json) => state)]).toEqual([
          'RUNNING',
          Array.from({ length: replicas }, () => 'ready'),
        ])
        return json
      }, waits),
    async remove(id) {
      await done('DELETE', `/dedicated/endpoints/${id}`)
      await eventually(async () => {
        expect((await ask('GET', `/dedicated/endpoints/${id}`)).status).toBe(404)
      }, waits)
    },
  }
}
