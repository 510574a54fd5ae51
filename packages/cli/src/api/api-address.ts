import { CliError } from '../cli-error.ts'
import { type CliIo, envValue } from '../cli-io.ts'
import { readFleetFile } from '../fleet-file.ts'

export interface AddressOptions {
  readonly baseUrl?: string
  readonly apiKey?: string
}

/** A deployment and the API key for it. */
export interface ApiAddress {
  /** Without a slash at the end and without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
}

/**
 * Finds the deployment: from the options, else the environment, else the fleet of `npm start`. The fleet's key is sent
 * only to the fleet, never to another address.
 *
 * @throws CliError without the key, and without credentials in the address
 */
export async function addressOf(options: AddressOptions, env: CliIo['env']): Promise<ApiAddress> {
  const named = options.baseUrl ?? envValue(env, 'RATCHET_BASE_URL')
  const key = options.apiKey ?? envValue(env, 'RATCHET_API_KEY')
  const urlSource = options.baseUrl === undefined ? 'RATCHET_BASE_URL' : '--base-url'
  const keySource = options.apiKey === undefined ? 'RATCHET_API_KEY' : '--api-key'
  if (named !== undefined) {
    const baseUrl = checkedUrl(named, urlSource)
    if (key === undefined) throw new CliError(`no API key for ${baseUrl}: set RATCHET_API_KEY or give --api-key`)
    return { baseUrl, apiKey: checkedKey(key, keySource) }
  }
  const fleet = await readFleetFile(env)
  if (fleet === null) {
    throw new CliError(
      'no deployment: run `npm start`, set RATCHET_BASE_URL and RATCHET_API_KEY or give --base-url and --api-key',
    )
  }
  const baseUrl = checkedUrl(fleet.base_url, 'base_url of fleet.json')
  if (key !== undefined) return { baseUrl, apiKey: checkedKey(key, keySource) }
  return { baseUrl, apiKey: checkedKey(fleet.api_key ?? '', 'api_key of fleet.json') }
}

function checkedUrl(text: string, source: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!(isPlain && /^https?:$/.test(url.protocol))) {
    throw new CliError(
      `${source}: expected a URL such as https://ratchet.example.com, without query, fragment or credentials`,
    )
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')
}

/** `fetch` fails with the key in its message when the key cannot be a header. */
function checkedKey(key: string, source: string): string {
  if (/^[\x21-\x7e]{1,500}$/.test(key)) return key
  throw new CliError(`${source}: expected an API key, which is one word of visible ASCII characters`)
}
