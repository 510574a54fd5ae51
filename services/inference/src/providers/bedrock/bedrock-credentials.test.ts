import { bedrockCredentialsFromEnv, readBedrockCredentials } from './bedrock-credentials.ts'

const pair = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalr/bPx+EXAMPLE' }
const signing = { kind: 'signature', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalr/bPx+EXAMPLE' }

describe('readBedrockCredentials', () => {
  it.each<[string, string, object | null]>([
    ['an API key', ' bedrock-api-key-abc= \n', { kind: 'bearer', key: 'bedrock-api-key-abc=', region: null }],
    ['an access key', JSON.stringify(pair), { ...signing, sessionToken: null, region: null }],
    [
      'a session in a region',
      JSON.stringify({ ...pair, session_token: 'tok', region: 'eu-central-1' }),
      { ...signing, sessionToken: 'tok', region: 'eu-central-1' },
    ],
    ['nothing', ' ', null],
    ['words', 'two words', null],
    ['a line break, which would be another header', 'a\nx: b', null],
    ['half a pair', JSON.stringify({ access_key_id: 'AKIDEXAMPLE' }), null],
    ['broken JSON', '{"access_key_id":', null],
    ['a region that is another host', JSON.stringify({ ...pair, region: 'x.evil.example/' }), null],
    ['a token with a line break', JSON.stringify({ ...pair, session_token: 'a\nb' }), null],
  ])('reads %s', (_name, text, expected) => {
    expect(readBedrockCredentials(text)).toEqual(expected)
  })
})

describe('bedrockCredentialsFromEnv', () => {
  const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalr/bPx+EXAMPLE' }

  it.each<[string, Record<string, string>, object | null]>([
    ['nothing', {}, null],
    ['empty variables, as compose gives them', { AWS_BEARER_TOKEN_BEDROCK: '', AWS_ACCESS_KEY_ID: '' }, null],
    ['a region alone', { AWS_REGION: 'us-west-2' }, null],
    ['an access key', env, { ...signing, sessionToken: null, region: null }],
    [
      'a session',
      { ...env, AWS_SESSION_TOKEN: 'tok', AWS_DEFAULT_REGION: 'eu-west-1' },
      { ...signing, sessionToken: 'tok', region: 'eu-west-1' },
    ],
    [
      'an API key before an access key, and AWS_REGION before AWS_DEFAULT_REGION',
      { ...env, AWS_BEARER_TOKEN_BEDROCK: 'key', AWS_REGION: 'us-gov-west-1', AWS_DEFAULT_REGION: 'eu-west-1' },
      { kind: 'bearer', key: 'key', region: 'us-gov-west-1' },
    ],
    ['a region that is none', { ...env, AWS_REGION: 'evil.example' }, null],
  ])('reads %s', (_name, variables, expected) => {
    expect(bedrockCredentialsFromEnv(variables)).toEqual(expected)
  })
})
