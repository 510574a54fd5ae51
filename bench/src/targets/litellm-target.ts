import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Installed } from '@ratchet/infra/processes/install-in-folder'
import { installPythonPackages } from '@ratchet/infra/processes/install-python'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { cannedModel } from '../load/chat-body.ts'
import type { PeerOptions } from './portkey-target.ts'
import { type ProcessGroup, serverSpec } from './process-group.ts'
import { chatPath, type Target } from './target.ts'

/** 1.106.10 to 1.109.1 require a version of certifi that PyPI does not have (2026-11-23), so pip cannot install them. */
const version = '1.106.0'
/** Its imports alone take half a minute on a busy core. */
const readyTimeoutMs = 180_000

/** Fetches nothing from the network at its start, and prints no line per request. */
const quietEnv = {
  LITELLM_LOG: 'ERROR',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS: 'True',
  LITELLM_LOCAL_BLOG_POSTS: 'True',
  LITELLM_LOCAL_POLICY_TEMPLATES: 'True',
  LITELLM_LOCAL_AUTOROUTER_PRESETS: 'True',
  DISABLE_ADMIN_UI: 'True',
}

/**
 * LiteLLM's proxy from PyPI in its cheapest form: one worker of its default server, no database, no callbacks. It does
 * not start without a master key, which is then the only key. Null when there is no suitable Python, or it cannot be installed.
 */
export async function startLitellm(group: ProcessGroup, options: PeerOptions): Promise<Target | null> {
  const installed = await install()
  if (installed.kind === 'failed') {
    options.say(`LiteLLM: ${installed.reason}, so its column stays empty.`)
    return null
  }
  const port = await anyFreePort()
  const config = path.join(options.folder, 'litellm.json')
  writeFileSync(config, JSON.stringify(configFor(options.upstreamUrl)))
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
  const command = path.join(installed.folder, 'venv', 'bin', 'litellm')
  const masterKey = `sk-${randomBytes(24).toString('hex')}`
  const env = { ...quietEnv, LITELLM_MASTER_KEY: masterKey }
  const spec = serverSpec({ name: 'litellm', command, args, port, readyTimeoutMs, env })
  const { pid } = await group.startTarget(spec, { quiet: true })
  options.say(`LiteLLM is litellm[proxy] ${version}: one worker, one fixed key, no log, no database.`)
  return {
    id: 'litellm',
    title: 'LiteLLM',
    url: `http://127.0.0.1:${port}${chatPath}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${masterKey}` },
    processes: { litellm: pid },
    warmUpShare: 0.02,
    gateway: 'other',
  }
}

async function install(): Promise<Installed> {
  const installed = await installPythonPackages(`litellm-${version}`, [`litellm[proxy]==${version}`])
  return installed.kind === 'installed'
    ? installed
    : { kind: 'failed', reason: `it could not be installed (${installed.reason})` }
}

/** Every JSON document is a YAML document too. */
function configFor(upstreamUrl: string): object {
  const upstream = { model: 'openai/canned', api_base: new URL('/v1', upstreamUrl).href, api_key: 'none' }
  return { model_list: [{ model_name: cannedModel, litellm_params: upstream }] }
}
