import type { DedicatedRun } from './dedicated-run.fixture.ts'

/** Every window is charged once, what it cost; and the windows of a replica are the time in which it was ready and paid. */
export async function requireRightCharges(run: DedicatedRun): Promise<void> {
  expect([...run.money.windows.values()].filter(({ charges }) => charges.length > 1)).toEqual([])
  const differing = await run.rows(`
    SELECT r.id, w.ms, i.seconds FROM replica r
      JOIN (SELECT replica_id, sum(extract(epoch FROM to_at - from_at)) AS seconds FROM replica_interval GROUP BY 1) i
        ON i.replica_id = r.id
      LEFT JOIN (SELECT replica_id, sum(ready_ms) AS ms, count(*) AS number FROM replica_window GROUP BY 1) w
        ON w.replica_id = r.id
    WHERE r.settled AND abs(coalesce(w.ms, 0) - 1000 * i.seconds) > coalesce(w.number, 0)`)
  expect(differing).toEqual([])
  const [{ cost }] = await run.rows('SELECT coalesce(sum(cost_nano), 0)::text AS cost FROM replica_window')
  expect(BigInt(cost)).toBe(run.money.charged())
}
