import { mintApiKey } from '@ratchet/contracts/api-key'
import type { Kind } from './secret-span.ts'

/** A generated secret: the text in which it is written, and the part that must be redacted. */
export interface MadeSecret {
  readonly text: string
  readonly core: string
}

/** How to generate a secret of a kind. This file itself contains nothing that looks like a real one. */
export interface SecretRecipe {
  readonly kind: Kind
  readonly make: (random: () => number) => MadeSecret
}

const digits = '0123456789'
const hex = `${digits}abcdef`
const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const letters = lower + upper
const alnum = digits + letters
const dashed = `${alnum}_-`
const base64 = `${alnum}+/`
const capitals = digits + upper
const bech32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'

/** `length` characters, each from `set`. */
export function pick(random: () => number, set: string, length: number): string {
  let text = ''
  for (let at = 0; at < length; at++) text += set.charAt(Math.floor(random() * set.length))
  return text
}

function token(kind: Kind, prefix: string, set: string, length: number, suffix = ''): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const text = prefix + pick(random, set, length) + suffix
      return { text, core: text }
    },
  }
}

function whole(kind: Kind, make: (random: () => number) => string): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const text = make(random)
      return { text, core: text }
    },
  }
}

/** A secret that is recognized only by the text around it. */
function within(kind: Kind, before: string, make: (random: () => number) => string, after = ''): SecretRecipe {
  return {
    kind,
    make: (random) => {
      const core = make(random)
      return { text: before + core + after, core }
    },
  }
}

/** Letters, digits and symbols, as a person or a password manager would choose. */
function password(random: () => number): string {
  return `${pick(random, upper, 2)}${pick(random, lower, 4)}${pick(random, digits, 3)}${pick(random, '!#%^*+_-', 1)}${pick(random, alnum, 4)}`
}

/** Random characters with at least two digits, which generated keys nearly always have. */
const mixed = (length: number) => (random: () => number) =>
  `${pick(random, alnum, 4)}4${pick(random, letters, 2)}${pick(random, alnum, length - 10)}7Q${pick(random, lower, 1)}`
const base64url = (text: string) => Buffer.from(text).toString('base64url')

function jwt(random: () => number): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))
  const payload = base64url(JSON.stringify({ sub: pick(random, alnum, 12), iat: 1_700_000_000 }))
  return `${header}.${payload}.${pick(random, dashed, 43)}`
}

function armour(label: string): (random: () => number) => string {
  return (random) => {
    const lines = Array.from({ length: 6 }, () => pick(random, base64, 64))
    const mark = (word: string) => `${'-'.repeat(5)}${word} ${label}${'-'.repeat(5)}`
    return [mark('BEGIN'), ...lines, `${pick(random, base64, 30)}==`, mark('END')].join('\n')
  }
}

function ownKey(prefix: string): (random: () => number) => string {
  return (random) => mintApiKey(prefix, (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)))
}

/** One recipe for each kind of secret that must never be stored. */
export const secretRecipes: readonly SecretRecipe[] = [
  token('openai_key', 'sk-', alnum, 20, `T3Blbk${'FJ'}8a1B2c3D4e5F6g7H8i9J`),
  token('openai_key', 'sk-proj-', dashed, 120),
  token('openai_key', 'sk-svcacct-', dashed, 110),
  token('openai_key', 'sk-', hex, 32),
  token('openrouter_key', 'sk-or-v1-', hex, 64),
  token('anthropic_key', 'sk-ant-api03-', dashed, 93, 'AA'),
  token('google_api_key', 'AIza', dashed, 35),
  token('google_oauth', 'ya29.', dashed, 120),
  token('google_oauth', 'GOCSPX-', dashed, 28),
  token('aws_access_key', 'AKIA', `${upper}234567`, 16),
  token('aws_access_key', 'ASIA', `${upper}234567`, 16),
  within('aws_secret_key', 'aws_secret_access_key = ', (random) => `9a${pick(random, base64, 36)}Zb`),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_'].map((prefix) => token('github_token', prefix, alnum, 36)),
  token('github_token', 'ghr_', alnum, 76),
  whole('github_token', (random) => `github_pat_${pick(random, alnum, 22)}_${pick(random, alnum, 59)}`),
  token('gitlab_token', 'glpat-', dashed, 20),
  whole('gitlab_token', (random) => `glpat-${pick(random, dashed, 27)}.01.${pick(random, alnum, 9)}`),
  whole(
    'slack_token',
    (random) => `xoxb-${pick(random, digits, 12)}-${pick(random, digits, 12)}-${pick(random, alnum, 24)}`,
  ),
  whole(
    'slack_token',
    (random) => `xapp-1-A${pick(random, capitals, 10)}-${pick(random, digits, 13)}-${pick(random, hex, 64)}`,
  ),
  whole(
    'slack_webhook',
    (random) =>
      `hooks.slack.com/services/T${pick(random, capitals, 8)}/B${pick(random, capitals, 10)}/${pick(random, alnum, 24)}`,
  ),
  whole(
    'discord_webhook',
    (random) => `discord.com/api/webhooks/${pick(random, digits, 18)}/${pick(random, dashed, 68)}`,
  ),
  token('stripe_key', 'sk_live_', alnum, 24),
  token('stripe_key', 'rk_live_', alnum, 99),
  token('webhook_secret', 'whsec_', alnum, 32),
  token('twilio_key', 'SK', hex, 32),
  within('twilio_key', 'TWILIO_AUTH_TOKEN=', (random) => `a7${pick(random, hex, 30)}`),
  whole('sendgrid_key', (random) => `SG.${pick(random, dashed, 22)}.${pick(random, dashed, 43)}`),
  token('mailgun_key', 'key-', hex, 32),
  whole('mailgun_key', (random) => `${pick(random, hex, 32)}-${pick(random, hex, 8)}-${pick(random, hex, 8)}`),
  whole('mailchimp_key', (random) => `${pick(random, hex, 32)}-us12`),
  token('npm_token', 'npm_', alnum, 36),
  token('pypi_token', 'pypi-AgEI', dashed, 120),
  token('docker_token', 'dckr_pat_', dashed, 27),
  token('digitalocean_token', 'dop_v1_', hex, 64),
  token('heroku_key', 'HRKU-AA', dashed, 58),
  within('heroku_key', 'HEROKU_API_KEY=', (random) =>
    [8, 4, 4, 4, 12].map((length) => `${pick(random, hex, length - 1)}7`).join('-'),
  ),
  within(
    'azure_storage_key',
    'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=',
    (random) => `5x${pick(random, base64, 84)}==`,
    ';EndpointSuffix=core.windows.net',
  ),
  within(
    'azure_storage_key',
    'SharedAccessKeyName=root;SharedAccessKey=',
    (random) => `5x${pick(random, base64, 41)}=`,
  ),
  whole('azure_client_secret', (random) => `${pick(random, alnum, 3)}8Q~${pick(random, dashed, 34)}`),
  within(
    'azure_sas',
    'https://shop.blob.core.windows.net/a/b.txt?sv=2024-11-04&se=2027-01-01&sr=b&sp=r&sig=',
    (random) => `9${pick(random, alnum, 41)}%3D`,
  ),
  within(
    'gcp_service_account_key',
    '{"type":"service_account","private_key":"',
    (random) => `${armour('PRIVATE KEY')(random)}\n`.replaceAll('\n', '\\n'),
    '","client_email":"a@b.example"}',
  ),
  whole('private_key', armour('RSA PRIVATE KEY')),
  whole('private_key', armour('EC PRIVATE KEY')),
  whole('private_key', armour('OPENSSH PRIVATE KEY')),
  whole('private_key', armour('ENCRYPTED PRIVATE KEY')),
  whole('pgp_private_key', armour('PGP PRIVATE KEY BLOCK')),
  whole('jwt', jwt),
  within('bearer_token', 'Authorization: Bearer ', mixed(32)),
  within('bearer_token', 'curl -H "Authorization: Bearer ', mixed(40), '" https://api.example.com'),
  within('basic_authorization', 'Authorization: Basic ', (random) =>
    Buffer.from(`ann:${password(random)}`).toString('base64'),
  ),
  within('authorization', 'Authorization: Token ', (random) => `7c${pick(random, hex, 38)}`),
  within('postgres_url', 'postgres://app:', password, '@db.internal:5432/shop'),
  within('mysql_url', 'mysql://app:', password, '@db.internal/shop'),
  within('mongodb_url', 'mongodb+srv://app:', password, '@c0.example.mongodb.net/?retryWrites=true'),
  within('redis_url', 'redis://:', password, '@cache:6379/0'),
  within('amqp_url', 'amqp://app:', password, '@mq:5672/%2f'),
  within('url_password', 'https://ann:', password, '@git.example.com/repo.git'),
  within('password', 'DB_PASSWORD=', password),
  within('password', 'password: "', password, '"'),
  within('password', '{"user":"ann","password":"', password, '"}'),
  within('password', "const dbPassword = '", password, "'"),
  within('password', 'mysql --user=app --password ', password, ' shop'),
  within('password', 'Server=db;User Id=app;Password=', password, ';Encrypt=true'),
  within('password', 'my password is ', password),
  within('password', '<password>', (random) => `${pick(random, lower, 6)}${pick(random, digits, 3)}`, '</password>'),
  within('password', '密码：', password),
  within('secret', 'api_key: ', mixed(32)),
  within('secret', 'export CLIENT_SECRET="', mixed(40), '"'),
  within('secret', "headers['X-Api-Key'] = '", mixed(24), "'"),
  within('secret', 'https://api.example.com/v1?api_key=', mixed(32), '&page=2'),
  within('secret', 'accessToken => "', mixed(28), '"'),
  within('secret', 'tool --api-token ', mixed(28), ' run'),
  within('secret', 'jwt_secret:\n    ', mixed(28)),
  within('secret', '//registry.npmjs.org/:_authToken=', mixed(36)),
  within('secret', '{"name":"API_KEY","value":"', mixed(24), '"}'),
  within('secret', '<add key="ApiKey" value="', mixed(24), '"/>'),
  within('secret', 'ENV API_TOKEN ', mixed(24)),
  within('password', '| password | ', mixed(14), ' |'),
  within('password', '**Password:** ', password),
  within('password', 'password: ', (random) => `km${pick(random, lower, 3)}t${pick(random, digits, 2)}`),
  within('password', "ALTER USER app IDENTIFIED BY '", password, "'"),
  within('cloudflare_token', 'CLOUDFLARE_API_TOKEN=', mixed(40)),
  whole('gateway_key', ownKey('sk_svc_')),
  whole('gateway_key', ownKey('ck_live_')),
  whole('gateway_key', ownKey('sk_acme2_')),
  token('huggingface_token', 'hf_', lower + upper, 34),
  token('groq_key', 'gsk_', alnum, 52),
  token('replicate_token', 'r8_', alnum, 37),
  token('xai_key', 'xai-', alnum, 80),
  token('perplexity_key', 'pplx-', alnum, 48),
  token('nvidia_key', 'nvapi-', dashed, 64),
  whole('langsmith_key', (random) => `lsv2_pt_${pick(random, hex, 32)}_${pick(random, hex, 10)}`),
  whole(
    'telegram_token',
    (random) => `${1 + Math.floor(random() * 9)}${pick(random, digits, 9)}:AA${pick(random, dashed, 33)}`,
  ),
  whole('discord_token', (random) => {
    const id = Buffer.from(`${1 + Math.floor(random() * 9)}${pick(random, digits, 17)}`).toString('base64url')
    return `${id}.G${pick(random, alnum, 5)}.${pick(random, dashed, 38)}`
  }),
  token('shopify_token', 'shpat_', hex, 32),
  token('square_token', 'sq0atp-', dashed, 22),
  token('databricks_token', 'dapi', hex, 32),
  token('vault_token', 'hvs.', dashed, 90),
  token('age_key', 'AGE-SECRET-KEY-1', bech32, 58),
  whole('onepassword_token', (random) => `ops_eyJ${pick(random, alnum, 200)}`),
  whole(
    'onepassword_token',
    (random) => `A3-${[6, 6, 5, 5, 5, 5].map((length) => pick(random, capitals, length)).join('-')}`,
  ),
  token('linear_key', 'lin_api_', alnum, 40),
  token('figma_token', 'figd_', dashed, 40),
  token('postman_key', 'PMAK-', hex, 24, `-${'0a1b2c3d4e5f6789'.repeat(2)}7a`),
  whole('airtable_token', (random) => `pat${pick(random, alnum, 14)}.${pick(random, hex, 64)}`),
  token('grafana_token', 'glsa_', alnum, 32, '_0a1b2c3d'),
  token('newrelic_key', 'NRAK-', capitals, 27),
  whole('terraform_token', (random) => `${pick(random, alnum, 14)}.atlasv1.${pick(random, dashed, 67)}`),
  token('supabase_key', 'sbp_', hex, 40),
  token('tailscale_key', 'tskey-auth-', alnum, 30),
  token('pulumi_token', 'pul-', hex, 40),
  token('rubygems_key', 'rubygems_', hex, 48),
  whole('doppler_token', (random) => `dp.pt.${pick(random, alnum, 43)}`),
  // Other lengths and characters than gitleaks knows.
  token('huggingface_token', 'hf_', alnum, 37),
  token('huggingface_token', 'api_org_', alnum, 30),
  whole('heroku_key', (random) => `HRKU-${[8, 4, 4, 4, 12].map((length) => pick(random, hex, length)).join('-')}`),
  token('heroku_key', 'HRKU-BB', alnum, 64),
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((prefix) => token('aws_access_key', `${prefix}0189`, capitals, 12)),
  token('aws_access_key', 'A3T', capitals, 17),
  token('github_token', 'github_pat_', alnum, 40),
  token('perplexity_key', 'pplx-', alnum, 40),
  token('perplexity_key', 'pplx-', alnum, 56),
  token('flyio_token', 'fo1_', dashed, 40),
  token('flyio_token', 'fo1_', alnum, 64),
  ...['fm1a_', 'fm1r_', 'fm2_'].map((prefix) => token('flyio_token', prefix, base64, 60, 'Q==')),
  token('facebook_token', 'EAAC', alnum, 80),
  token('facebook_token', 'EAAM', alnum, 160),
  token('square_token', 'sq0atp-', alnum, 64),
  ...['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'].map((prefix) => token('planetscale_key', prefix, alnum, 72)),
  token('newrelic_key', 'NRII-', alnum, 27),
  token('newrelic_key', 'NRII-', alnum, 40),
  token('easypost_key', 'EZAK', alnum, 60),
  token('easypost_key', 'EZTK', alnum, 60),
  token('grafana_token', 'glsa_', alnum, 40),
  token('grafana_token', 'glsa_', alnum, 56),
  token('grafana_token', 'glc_', alnum, 420),
  token('doppler_token', 'dp.pt.', alnum, 40),
  token('stripe_key', 'sk_live_', alnum, 120),
  token('sentry_token', 'sntryu_', alnum, 40),
  token('dynatrace_token', 'dt0c01.', alnum, 60),
  token('sendinblue_key', 'xkeysib-', alnum, 64),
  token('postman_key', 'PMAK-', alnum, 50),
  token('cloudflare_token', 'v1.0-', alnum, 150),
  whole('airtable_token', (random) => `pat${pick(random, alnum, 14)}.${pick(random, alnum, 64)}`),
  whole(
    'onepassword_token',
    (random) => `A3-7${[5, 5, 5, 5, 5].map((length) => pick(random, capitals, length)).join('-')}`,
  ),
  token('digitalocean_token', 'dop_v1_', hex.toUpperCase(), 64),
  token('digitalocean_token', 'doo_v1_', hex.toUpperCase(), 64),
  token('databricks_token', 'dapi', hex, 32, '-2'),
  token('databricks_token', 'dapi', hex.toUpperCase(), 32),
  token('rubygems_key', 'rubygems_', hex.toUpperCase(), 48),
  token('pulumi_token', 'pul-', hex.toUpperCase(), 40),
]
