/* A process of its own, so that its CPU time is measured separately. It reads a job from argv and writes the result to stdout, both as JSON. */
import type { ClosedLoopJob, ClosedLoopResult } from './load-job.ts'
import { createSender } from './send.ts'

const job = JSON.parse(process.argv[2] ?? '') as ClosedLoopJob
process.stdout.write(JSON.stringify(await runClosedLoop(job)), () => process.exit())

function runClosedLoop({ request, connections, requests, seconds }: ClosedLoopJob): Promise<ClosedLoopResult> {
  const send = createSender(request, connections)
  const startedAt = performance.now()
  const maxRequests = requests ?? Number.POSITIVE_INFINITY
  const endsAt = startedAt + (seconds ?? Number.POSITIVE_INFINITY) * 1_000
  const count = { started: 0, ended: 0, failures: 0 }
  return new Promise((resolve) => {
    const next = () => {
      if (count.started < maxRequests && performance.now() < endsAt) {
        count.started += 1
        send(onAnswer)
      } else if (count.ended === count.started) {
        const perSecond = (count.ended * 1_000) / (performance.now() - startedAt)
        resolve({ requests: count.ended, failures: count.failures, perSecond })
      }
    }
    const onAnswer = ({ ok }: { ok: boolean }) => {
      count.ended += 1
      if (!ok) count.failures += 1
      next()
    }
    for (let connection = 0; connection < connections; connection += 1) next()
  })
}
