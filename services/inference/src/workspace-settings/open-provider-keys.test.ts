import { randomBytes } from 'node:crypto'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox, type SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { createKeyOpener, type OpenedKeys, type UnusableKey, usableKeys } from './open-provider-keys.ts'
import type { StoredProviderKey } from './settings-store.ts'

const keys = parseNamedKeys(`k1:${Buffer.alloc(32, 1).toString('base64')}`)
const box = createSecretBox({ keys, randomBytes })
const closed: BaseUrlRules = { customHosts: false, allowedHosts: new Set() }

function storedKey(workspaceId: string, provider: string, over: Partial<StoredProviderKey> = {}): StoredProviderKey {
  const sealed = box.seal(`sk-${provider}`, providerKeyPlace({ workspaceId, provider }))
  return { id: `id-${provider}`, version: `v1-${provider}`, provider, baseUrl: null, ...sealed, ...over }
}

function opener(rules: BaseUrlRules = closed, with_: SecretBox = box) {
  const unusable: UnusableKey[] = []
  const open = createKeyOpener({ box: with_, rules, onUnusable: (key) => unusable.push(key) })
  const openAll = (stored: readonly StoredProviderKey[], known: OpenedKeys = new Map()) =>
    open({ workspaceId: 'w', stored, known })
  return { openAll, unusable }
}

it('decrypts the keys of a workspace, by provider', () => {
  const { openAll, unusable } = opener()
  const usable = usableKeys(openAll([storedKey('w', 'openai'), storedKey('w', 'groq')]))
  expect([...usable]).toEqual([
    ['openai', { id: 'id-openai', apiKey: 'sk-openai', baseUrl: null }],
    ['groq', { id: 'id-groq', apiKey: 'sk-groq', baseUrl: null }],
  ])
  expect(unusable).toEqual([])
})

it('decrypts a version once, and a new one again', () => {
  let opened = 0
  const counting: SecretBox = {
    ...box,
    open: (sealed, place) => {
      opened += 1
      return box.open(sealed, place)
    },
  }
  const { openAll } = opener(closed, counting)
  const stored = storedKey('w', 'openai')
  const first = openAll([stored])
  expect(usableKeys(openAll([stored], first)).get('openai')).toBe(usableKeys(first).get('openai'))
  expect(opened).toBe(1)
  openAll([{ ...stored, version: 'v2' }], first)
  expect(opened).toBe(2)
})

it('ignores a key that was copied from another workspace or provider, and reports it once', () => {
  const { openAll, unusable } = opener()
  const stored = [
    storedKey('other', 'openai'),
    { ...storedKey('w', 'groq'), provider: 'mistral' },
    storedKey('w', 'cohere'),
  ]
  const first = openAll(stored)
  openAll(stored, first)
  expect([...usableKeys(first).keys()]).toEqual(['cohere'])
  expect(unusable).toEqual([
    { id: 'id-openai', workspaceId: 'w', reason: 'not_authentic' },
    { id: 'id-groq', workspaceId: 'w', reason: 'not_authentic' },
  ])
})

it('ignores a key whose encryption key was removed', () => {
  const { openAll, unusable } = opener()
  expect(usableKeys(openAll([storedKey('w', 'openai', { keyId: 'k0' })])).size).toBe(0)
  expect(unusable).toEqual([{ id: 'id-openai', workspaceId: 'w', reason: 'unknown_key' }])
})

it('ignores a key whose base URL the operator does not allow', () => {
  const stored = [
    storedKey('w', 'openai', { baseUrl: 'https://eu.example.com/v1' }),
    storedKey('w', 'groq', { baseUrl: 'https://169.254.169.254/v1' }),
  ]
  const strict = opener()
  expect(usableKeys(strict.openAll(stored)).size).toBe(0)
  expect(strict.unusable.map(({ reason }) => reason)).toEqual(['base_url_refused', 'base_url_refused'])
  const open = opener({ ...closed, customHosts: true })
  expect([...usableKeys(open.openAll(stored)).keys()]).toEqual(['openai'])
})
