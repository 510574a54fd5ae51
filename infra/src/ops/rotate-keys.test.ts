import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { formatKeys } from '../fleet/audience-keys.ts'
import { identityVariables } from '../fleet/identity-variables.ts'
import { chooseKeysFile, editEnvFile, editSecretsFile, type RotationStep, rotateKeys } from './rotate-keys.ts'

const key = (id: string, byte = 1): NamedKey => ({ id, secret: Buffer.alloc(32, byte) })
const newBytes = (count: number) => Buffer.alloc(count, 2)
const ids = (keys: readonly NamedKey[]) => keys.map(({ id }) => id)

it('replaces a key in three steps; each step knows the signing key of the step before', () => {
  const added = rotateKeys([key('k1')], 'add', newBytes)
  const promoted = rotateKeys(added, 'promote', newBytes)
  const dropped = rotateKeys(promoted, 'drop', newBytes)

  expect([added, promoted, dropped].map(ids)).toEqual([['k1', 'k2'], ['k2', 'k1'], ['k2']])
  expect(dropped).toEqual([{ id: 'k2', secret: newBytes(32) }])
  expect(ids(rotateKeys(dropped, 'add', newBytes))).toEqual(['k2', 'k3'])
})

it('undoes a promotion when it is repeated', () => {
  const added = rotateKeys([key('k1')], 'add', newBytes)
  expect(rotateKeys(rotateKeys(added, 'promote', newBytes), 'promote', newBytes)).toEqual(added)
})

it.each<[RotationStep, readonly NamedKey[], string]>([
  ['add', [key('k1'), key('k2')], 'There are two keys already: promote and drop first.'],
  ['promote', [key('k1')], 'There is only one key: add one first.'],
  ['drop', [key('k1')], 'There is only one key: add one first.'],
])('refuses to %s with the wrong number of keys', (step, keys, reason) => {
  expect(() => rotateKeys(keys, step, newBytes)).toThrow(reason)
})

it('derives the id of the new key from any id', () => {
  expect(
    ['k9', 'prod', '2026', 'aaaaaaaaaaaaaa99'].map((id) => ids(rotateKeys([key(id)], 'add', newBytes))[1]),
  ).toEqual(['k10', 'prod2', 'k2027', 'aaaaaaaaaaaaa100'])
})

describe('in a file of variables', () => {
  const text = `# ours\nPOSTGRES_PASSWORD=a$&b\nIDENTITY_MASTER_KEYS=${formatKeys([key('k1')])}\nENCRYPTION_KEYS="${formatKeys([key('k1', 3)])}"\n`

  it('changes only the master keys and the keys derived from them', () => {
    const added = rotateKeys([key('k1')], 'add', newBytes)

    const edited = editEnvFile(text, 'identity', () => added)

    for (const [name, value] of Object.entries(identityVariables(added))) {
      expect(edited.split('\n').filter((line) => line.startsWith(`${name}=`))).toEqual([`${name}=${value}`])
    }
    expect(edited.startsWith('# ours\nPOSTGRES_PASSWORD=a$&b\n')).toBe(true)
    expect(edited).toContain(`ENCRYPTION_KEYS="${formatKeys([key('k1', 3)])}"`)
  })

  it('gives callers the keys of their callees for an upgrade, and then keys of their own', () => {
    const settingOf = (edited: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(edited)?.[1]
    const same = (keys: readonly NamedKey[]) => keys
    const shared = editEnvFile(text, 'identity', same, true)
    const derived = editEnvFile(shared, 'identity', same)

    expect(settingOf(shared, 'JUDGING_TO_INFERENCE_KEYS')).toBe(settingOf(shared, 'INFERENCE_IDENTITY_KEYS'))
    expect(settingOf(derived, 'JUDGING_TO_INFERENCE_KEYS')).toMatch(/^judging\.k1:/)
    for (const name of ['IDENTITY_MASTER_KEYS', 'INFERENCE_IDENTITY_KEYS']) {
      expect(settingOf(derived, name)).toBe(settingOf(shared, name))
    }
  })

  it('reads quoted values too', () => {
    const edited = editEnvFile(text, 'encryption', (keys) => [...keys, key('k2')])
    expect(edited).toContain(`\nENCRYPTION_KEYS=${formatKeys([key('k1', 3), key('k2')])}\n`)
  })

  it('names a missing variable', () => {
    expect(() => editEnvFile('A=1\n', 'encryption', (keys) => keys)).toThrow(
      'There is no ENCRYPTION_KEYS in this file.',
    )
    expect(() => editEnvFile('ENCRYPTION_KEYS=x\n', 'encryption', (keys) => keys)).toThrow(/^ENCRYPTION_KEYS: expected/)
  })
})

it('changes only the chosen keys of `npm start`', () => {
  const secrets = {
    api_key: 'a',
    identity_master_keys: formatKeys([key('k1')]),
    encryption_keys: formatKeys([key('k1')]),
  }
  const edited = editSecretsFile(JSON.stringify(secrets), 'encryption', (keys) => [key('k2', 2), ...keys])
  expect(JSON.parse(edited)).toEqual({ ...secrets, encryption_keys: formatKeys([key('k2', 2), key('k1')]) })
})

it('chooses the only file, and refuses to choose between two', () => {
  expect(chooseKeysFile(['/data/secrets.json'])).toBe('/data/secrets.json')
  expect(() => chooseKeysFile(['/here/.env', '/data/secrets.json'])).toThrow(
    'There are keys in /here/.env and in /data/secrets.json: name the file.',
  )
  expect(() => chooseKeysFile([])).toThrow('There is neither a .env nor a secrets.json: name the file.')
})
