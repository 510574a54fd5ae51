import { runProgram } from '../processes/run-program.ts'
import { installSpeech } from '../speech/install-speech.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { jestProgram } from '../test/run-jest.ts'

const terminal = stdoutTerminal()
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

/* Installs speech that runs on this machine. With `test`, it also tries it. */
await runCommand(async () => {
  const folder = await installSpeech(terminal)
  if (process.argv[2] !== 'test') {
    terminal.line(`Start with VOICE_LOCAL_SPEECH_DIR=${folder}`)
    return
  }
  const { ok } = await runProgram({
    command: process.execPath,
    args: [jestProgram, '--selectProjects', 'speech', '--ci', '--maxWorkers=1', ...process.argv.slice(3)],
    env: { ...process.env, VOICE_LOCAL_SPEECH_DIR: folder },
    signal: interrupted.signal,
    timeoutMs: 600_000,
    onOutput: (text) => process.stdout.write(text),
  })
  if (!ok) throw new ReadableError('Local speech did not pass its tests.')
})
