/* npm run bench:workers: measures judgements per second of one and several judging workers. */

import { runCommand } from '@ratchet/infra/terminal/readable-error'
import { logPrompts } from '../evals/log-prompts.ts'
import { runOnFleet } from '../evals/run-on-fleet.ts'
import { slowDown } from '../evals/slow-down.ts'
import { judgeModel, measureWorkers, type WorkerFigures } from './measure-workers.ts'
import { parseWorkerBenchOptions } from './options.ts'
import { renderWorkers } from './render-workers.ts'

await runCommand(async () => {
  const options = parseWorkerBenchOptions(process.argv.slice(2))
  await runOnFleet({
    name: 'workers',
    measured: 'judging-worker',
    async work(fleet, circumstances) {
      await logPrompts(fleet.caller, options.judgements)
      await slowDown(fleet.providerUrl, judgeModel, options.latencyMs)
      // Warms up V8, which compiles code only after some work.
      await measureWorkers(fleet, 1, { ...options, judgements: Math.min(100, options.judgements) })
      const figures: WorkerFigures[] = []
      for (const count of options.workers) figures.push(await measureWorkers(fleet, count, options))
      return renderWorkers({ ...options, ...circumstances, figures })
    },
  })
})
