import { allowances } from '../ops/audit/allowances.ts'
import { judgeAudit } from '../ops/audit/judge-audit.ts'
import { runProgram } from '../processes/run-program.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

/* `npm run audit`: asks the registry for known vulnerabilities of the packages in the lockfile. */
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const { output } = await runProgram({
    command: 'pnpm',
    args: ['audit', '--json'],
    env: process.env,
    signal: interrupted.signal,
    timeoutMs: 120_000,
  })
  const judged = judgeAudit(output, allowances, new Date().toISOString().slice(0, 10))
  if (judged === null) {
    throw new ReadableError(`The registry did not return a report:\n${output.trim().slice(0, 500)}`)
  }
  for (const line of judged.lines) console.log(line)
  if (!judged.ok)
    throw new ReadableError('Upgrade the marked packages, or allow them in infra/src/ops/audit/allowances.ts.')
  console.log('✓ no vulnerability of severity high or critical is known in the packages of the lockfile')
})
