import { connectPool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { requireRightCharges } from '../dedicated/right-charges.ts'
import { type EngineFaults, engineFaults, scriptedServing, servedBase } from '../serving/scripted-serving.ts'
import { servedWorkspace } from '../serving/served-workspace.ts'
import { childrenOf } from '../trainers/python-trainer.ts'
import { describeFault } from './describe-fault.ts'

const waits = { withinMs: 90_000, everyMs: 250 }
const messages = [{ role: 'user' as const, content: 'Where?' }]

let faults: EngineFaults

describeFault(
  {
    id: 'F35',
    title: 'a cold start never ends, and the machine of a replica does not answer any more',
    promise:
      'a request is held as long as its client waits, then refused with 503; after half an hour the start has failed, after three the endpoint, at no cost; a replica that does not answer three checks is replaced, and charged no longer',
    async fleet(onStop) {
      faults = await engineFaults(onStop)
      return { training: true, env: { ...scriptedServing(1, { ENGINE_FAULTS: faults.folder }), POOL_MODELS: '' } }
    },
  },
  (fault) => {
    it('refuses requests in time, and ends a start that does not end', async () => {
      const { fleet } = fault
      const me = await servedWorkspace(fleet)
      await faults.set({ all: 'silent' })
      const endpoint = await me.create()
      const begunMs = performance.now()
      const response = await fetch(`${fleet.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${me.workspace.apiKey}`,
          'content-type': 'application/json',
          'x-svc-max-wait': '2',
        },
        body: JSON.stringify({ model: endpoint.model_id, messages }),
      })
      const refused = (await response.json()) as { readonly error: { readonly code: string } }
      expect([response.status, refused.error.code]).toEqual([503, 'endpoint_starting'])
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      fault.note('refused after, s', Math.round((performance.now() - begunMs) / 100) / 10)

      const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
      await eventually(async () => {
        await pool.query(`UPDATE replica SET started_at = started_at - interval '31 minutes' WHERE state = 'starting'`)
        expect((await me.ask('GET', `/dedicated/endpoints/${endpoint.id}`)).json).toMatchObject({
          state: 'FAILED',
          last_error: 'Its engine did not start within half an hour.',
          spend: { total_usd: 0 },
        })
      }, waits)
      const { rows } = await pool.query('SELECT count(*)::int AS count FROM replica WHERE workspace_id = $1', [
        me.workspace.workspaceId,
      ])
      await pool.end()
      fault.note('starts', rows[0].count)
      expect(rows[0].count).toBe(3)
      await me.remove(endpoint.id)
      await requireRightCharges(fleet, me.workspace)
    }, 180_000)

    it('replaces a replica whose machine does not answer', async () => {
      const { fleet } = fault
      const me = await servedWorkspace(fleet)
      await faults.set({})
      const endpoint = await me.create({ minReplicas: 1 })
      const before = await me.untilReady(endpoint.id, 1)
      const [lost = 0] = await childrenOf(fleet.trainingWorker.pid)
      process.kill(lost, 'SIGSTOP')
      const lostMs = performance.now()
      await eventually(async () => {
        const { replicas, state } = (await me.ask('GET', `/dedicated/endpoints/${endpoint.id}`)).json
        expect([state, replicas.length, replicas[0]?.state]).toEqual(['RUNNING', 1, 'ready'])
        expect(replicas[0].id).not.toBe(before.replicas[0].id)
      }, waits)
      fault.note('replaced after, s', Math.round((performance.now() - lostMs) / 1_000))
      await eventually(async () => {
        const { json } = await me.ask('POST', '/chat/completions', { model: endpoint.model_id, messages })
        expect(json.choices?.[0]?.message.content).toBe(servedBase)
      }, waits)
      expect(await childrenOf(fleet.trainingWorker.pid)).not.toContain(lost)
      await me.remove(endpoint.id)
      await requireRightCharges(fleet, me.workspace)
    }, 180_000)
  },
)
