import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Voice } from '@ratchet/contracts/voice/languages'
import { z } from 'zod'
import { type Rate, recognizerId, synthesisRate } from '../money/price-book.ts'

/** A voice of a provider, as the catalog has it. */
const CatalogVoice = z.strictObject({
  /** `<provider>/<name>`. */
  id: z.string().regex(/^[a-z0-9-]+\/[A-Za-z0-9._-]+$/),
  /** As the provider names it. */
  voice: z.string().min(1).max(200),
  /** Null: the voice is its own model. */
  model: z.string().min(1).max(200).nullable(),
  languages: z.array(z.string().min(2)).min(1),
  gender: Voice.shape.gender,
})
export type CatalogVoice = z.output<typeof CatalogVoice>

/** Where the voices are that ship with the service. */
export const shippedVoicesDir = path.join(import.meta.dirname, '../../catalog/voices')

/** @throws Error naming the file and the field that is wrong */
export async function loadVoices(dir: string): Promise<readonly CatalogVoice[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.json')).toSorted()
  const parts = await Promise.all(
    files.map(async (name) => {
      const parsed = z.array(CatalogVoice).safeParse(JSON.parse(await readFile(path.join(dir, name), 'utf8')))
      if (parsed.success) return parsed.data
      throw new Error(`${name}: ${z.prettifyError(parsed.error)}`)
    }),
  )
  return parts.flat()
}

/** Voices with a price; `available` while their provider has a key. */
export function pricedVoices(
  voices: readonly CatalogVoice[],
  rates: readonly Rate[],
  providers: ReadonlySet<string>,
): readonly Voice[] {
  return voices.flatMap(({ id, languages, gender }): Voice[] => {
    const nano = synthesisRate(rates, id)
    if (nano === null) return []
    const { provider, name } = nameParts(id)
    const usd = nano / 1e6
    const available = providers.has(provider)
    return [{ object: 'voice', id, provider, name, languages, gender, usd_per_1000_characters: usd, available }]
  })
}

/** Ids of recognizers that agents may have: they have a price, and their provider has a key. */
export function pricedRecognizers(rates: readonly Rate[], providers: ReadonlySet<string>): ReadonlySet<string> {
  const heard = rates.filter((rate) => rate.kind === 'recognition').filter(({ provider }) => providers.has(provider))
  return new Set(heard.map(recognizerId))
}

function nameParts(id: string): { readonly provider: string; readonly name: string } {
  const at = id.indexOf('/')
  return { provider: id.slice(0, at), name: id.slice(at + 1) }
}
