/* npm run bench:evals: how long an eval takes, what bounds it, and what chat feels of it. */

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '@ratchet/infra/data-paths'
import { runCommand } from '@ratchet/infra/readable-error'
import { onStopSignals } from '@ratchet/infra/stop-signals'
import { describeMachine } from '../machine.ts'
import { createProcessGroup } from '../targets/process-group.ts'
import { keepChatting } from './keep-chatting.ts'
import { logPrompts } from './log-prompts.ts'
import { type EvalFigures, judgeModel, measureEval, models } from './measure-eval.ts'
import { parseEvalBenchOptions } from './options.ts'
import { renderEvals } from './render-evals.ts'
import { startFleet } from './start-fleet.ts'

const warmUpMs = 5_000
const calmMs = 15_000

await runCommand(async () => {
  const options = parseEvalBenchOptions(process.argv.slice(2))
  const { samples, latencyMs, concurrencies, chatsPerSecond } = options
  const folder = path.join(repositoryRoot, '.data', `bench-evals-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755) // Postgres may run as another user, who has to pass through.
  const group = createProcessGroup(null, (line) => process.stdout.write(`  ${line}\n`))
  const cleanUp = async () => {
    await group.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  onStopSignals({ stop: () => cleanUp().finally(() => process.exit(130)), hurry: () => process.exit(130) })
  try {
    const fleet = await startFleet(group, folder)
    await logPrompts(fleet.caller, samples)
    for (const model of [...models, judgeModel]) await slowDown(fleet.providerUrl, model, latencyMs)
    const chatFor = (ms: number) => keepChatting(fleet.caller, chatsPerSecond, () => sleep(ms))
    await chatFor(warmUpMs)
    const { chat: calmChat } = await chatFor(calmMs)
    const evals: EvalFigures[] = []
    for (const concurrency of concurrencies) evals.push(await measureEval(fleet, concurrency, options))
    const about = {
      date: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      cores: availableParallelism(),
    }
    const markdown = renderEvals({ ...options, ...about, calmChat, evals })
    process.stdout.write(`\n${markdown}`)
    writeFileSync(path.join(repositoryRoot, 'bench/results/evals.md'), markdown)
  } finally {
    await cleanUp()
  }
  process.exit()
})

/** Every answer of a model takes that long from now on. */
async function slowDown(providerUrl: string, model: string, latencyMs: number): Promise<void> {
  const script = { model, behaviour: `slow-${latencyMs}`, count: 1_000_000_000 }
  const response = await fetch(`${providerUrl}/control/script`, { method: 'POST', body: JSON.stringify(script) })
  if (!response.ok) throw new Error(`the provider refuses: ${await response.text()}`)
}
