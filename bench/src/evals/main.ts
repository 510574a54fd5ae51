/* npm run bench:evals: measures how long an eval takes, what limits it, and how it delays chats. */

import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '@ratchet/infra/terminal/readable-error'
import { keepChatting } from './keep-chatting.ts'
import { logPrompts } from './log-prompts.ts'
import { type EvalFigures, judgeModel, measureEval, models } from './measure-eval.ts'
import { parseEvalBenchOptions } from './options.ts'
import { renderEvals } from './render-evals.ts'
import { runOnFleet } from './run-on-fleet.ts'
import { slowDown } from './slow-down.ts'

const warmUpMs = 5_000
const calmMs = 15_000

await runCommand(async () => {
  const options = parseEvalBenchOptions(process.argv.slice(2))
  const { samples, latencyMs, concurrencies, chatsPerSecond } = options
  await runOnFleet({
    name: 'evals',
    measured: 'eval-worker',
    async work(fleet, circumstances) {
      await logPrompts(fleet.caller, samples)
      for (const model of [...models, judgeModel]) await slowDown(fleet.providerUrl, model, latencyMs)
      const chatFor = (ms: number) => keepChatting(fleet.caller, chatsPerSecond, () => sleep(ms))
      await chatFor(warmUpMs)
      const { chat: calmChat } = await chatFor(calmMs)
      const evals: EvalFigures[] = []
      for (const concurrency of concurrencies) evals.push(await measureEval(fleet, concurrency, options))
      return renderEvals({ ...options, ...circumstances, calmChat, evals })
    },
  })
})
