import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { type MountedCatalog, mountedCatalog } from '../mounted-catalog.ts'

const run = promisify(execFile)
const folderOf = (name: string) => path.join(repositoryRoot, 'trainers', name)

/** The interpreter with the packages of `trainers/`. `npm run test:trainers` sets it. */
function python(): string {
  const program = process.env.RATCHET_TRAINERS_PYTHON
  if (program === undefined) throw new Error('RATCHET_TRAINERS_PYTHON is not set. Use npm run test:trainers.')
  return program
}

const environment = {
  PYTHONPATH: [folderOf('src'), folderOf('tests')].join(':'),
  PYTHONDONTWRITEBYTECODE: '1',
  OMP_NUM_THREADS: '1',
  OMP_WAIT_POLICY: 'PASSIVE',
  HF_HUB_OFFLINE: '1',
}

const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)

/** Settings of a fleet whose trainer is the Python package. */
export function pythonTrainer(): Readonly<Record<string, string>> {
  return {
    TRAINERS: 'process',
    PROCESS_COMMAND: [python(), '-m', 'ratchet_trainers'].join(','),
    PROCESS_ENVIRONMENT: variables.join(','),
  }
}

/** Settings of a fleet whose engines are the server of the Python package. */
export function pythonEngines(): Readonly<Record<string, string>> {
  return {
    ENGINES: 'process',
    ENGINE_COMMAND: [python(), '-m', 'ratchet_trainers.serving'].join(','),
    ENGINE_ENVIRONMENT: variables.join(','),
  }
}

/** Name of the tiny model where it is served without adapters. */
const servedName = 'tiny'

/** Id of the tiny model in its catalog. */
export const tinyModel = 'tiny/base'

/**
 * A catalog whose only model is the tiny one.
 *
 * @param priceUsdPerMtok of trained tokens
 * @param baseUrl what answers as the model, by default nothing
 */
export function tinyCatalog(
  tiny: Pick<TinyJob, 'folder' | 'templateSha256'>,
  priceUsdPerMtok: number,
  baseUrl = 'http://127.0.0.1:9',
): Promise<MountedCatalog> {
  const training = {
    trainers: ['process'],
    source: path.join(tiny.folder, 'base'),
    supervised_per_mtok: String(priceUsdPerMtok),
    dpo_per_mtok: String(priceUsdPerMtok),
    max_context: 256,
    lora_ranks: [8 as const],
    full: false,
    supports_tools: false,
    chat_template_sha256: tiny.templateSha256,
    license: 'Apache-2.0',
  }
  return mountedCatalog({
    providers: [{ id: 'tiny', base_url: `${baseUrl}/v1` }],
    models: [{ id: tinyModel, upstream_model: servedName, training }],
  })
}

export interface TinyJob {
  /** Has the folder `base` with the model, and `train.jsonl`. */
  readonly folder: string
  readonly templateSha256: string
  /** Tokens of each example, by the tokenizer of the model. */
  readonly tokens: readonly number[]
  remove(): Promise<void>
}

/** Makes a model of 842,112 weights on the spot, and examples for it. */
export async function makeTinyJob(): Promise<TinyJob> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-tiny-'))
  const { stdout } = await run(python(), [folderOf('tests/write_tiny_job.py'), folder], { env: environment })
  const { template_sha256: templateSha256, tokens } = JSON.parse(stdout)
  return { folder, templateSha256, tokens, remove: () => rm(folder, { recursive: true, force: true }) }
}

export type FlawedModel = Pick<TinyJob, 'folder' | 'templateSha256' | 'remove'>

/** Makes the tiny model with a habit: more than half of its answers end in the mark that simulated judges see as a flaw. */
export async function makeFlawedModel(): Promise<FlawedModel> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-flawed-'))
  const { stdout } = await run(python(), [folderOf('tests/write_flawed_model.py'), folder], { env: environment })
  const { template_sha256: templateSha256 } = JSON.parse(stdout)
  return { folder, templateSha256, remove: () => rm(folder, { recursive: true, force: true }) }
}

export interface ServedModel {
  readonly url: string
  stop(): Promise<void>
}

/** Serves the base of a folder on this machine, as a provider does. */
export function serveBase({ folder }: Pick<TinyJob, 'folder'>): Promise<ServedModel> {
  return serveWeights(path.join(folder, 'base'), servedName)
}

/** Serves a folder or a file with weights on this machine, as a provider does. */
export async function serveWeights(source: string, name: string): Promise<ServedModel> {
  const own = ['-m', 'ratchet_trainers.serving', source, '--name', name, '--port', '0']
  // It ends with this process, because its input is closed then.
  const child = spawn(python(), [...own, '--until-closed'], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const [line] = await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('the server of the base has ended'))),
  ])
  const { url } = JSON.parse(line)
  return {
    url,
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}

/** Process ids of what a process has started itself. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([child, parent]) => (parent === pid && child !== undefined ? [child] : []))
}
