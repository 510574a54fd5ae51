import { type RecordingIo, recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'
import type { ScriptedApi } from './scripted-api.fixture.ts'

export const apiKey = 'sk_svc_hush'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly io: RecordingIo
}

/** Surroundings with the address of the API in the environment, as in CI. */
export function ioFor({ baseUrl }: Pick<ScriptedApi, 'baseUrl'>, terminalColumns: number | null = null): RecordingIo {
  const env = { RATCHET_BASE_URL: baseUrl, RATCHET_API_KEY: apiKey, RATCHET_DATA_DIR: '/nonexistent/ratchet' }
  return recordingIo(env, null, terminalColumns)
}

/** Runs `ratchet eval …`. */
export const runEvalCommand = runIn('eval')
/** Runs `ratchet alias …`. */
export const runAliasCommand = runIn('alias')
/** Runs `ratchet judge …`. */
export const runJudgeCommand = runIn('judge')

/** Runs `ratchet versions …`. */
export const runVersionsCommand = runIn('versions')

/** Runs `ratchet endpoint …`. */
export const runEndpointCommand = runIn('endpoint')

/** Runs `ratchet grpo …`. */
export const runGrpoCommand = runIn('grpo')

/** Runs `ratchet train …`. */
export const runTrainCommand = runIn('train')

/** Runs `ratchet tools …`. */
export const runToolsCommand = runIn('tools')

/** A text is split at spaces; a list is used unchanged. */
function runIn(group: string) {
  return async (io: RecordingIo, line: string | readonly string[]): Promise<Ran> => {
    const words = typeof line === 'string' ? line.split(' ') : line
    const code = await runCli([group, ...words], io)
    return { code, out: io.out(), err: io.err(), io }
  }
}
