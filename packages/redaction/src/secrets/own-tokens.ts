import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { alphabets } from './alphabets.ts'
import { isBasicCredential } from './is-basic-credential.ts'
import { isMixed, looksRandom } from './looks-random.ts'
import type { TokenRule } from './token-rule.ts'

const { alnum, anyBase64, base64, bearer, dashed, dotted, hex, padded, path, upperAlnum, urlPath, word } = alphabets

/**
 * Formats of keys that gitleaks lacks, and those of which it knows only one length or case: providers change them, and a
 * key that is not recognized is logged.
 */
export const ownTokens: readonly TokenRule[] = [
  // Model providers, their tools, and this gateway.
  { kind: 'anthropic_key', prefixes: ['sk-ant-'], body: dashed, min: 20 },
  { kind: 'openrouter_key', prefixes: ['sk-or-v1-', 'sk-or-'], body: alnum, min: 32 },
  { kind: 'openai_key', prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], body: dashed, min: 20 },
  // Many providers with OpenAI's wire format also use its prefix.
  { kind: 'openai_key', prefixes: ['sk-'], body: dashed, min: 16, strict: true },
  { kind: 'gateway_key', prefixes: ['sk_svc_', 'ck_live_', 'ck_test_'], body: alnum, min: 16 },
  { kind: 'gateway_key', prefixes: ['sk_', 'ck_'], body: word, min: 40, max: 56, accepts: hasKeyChecksum },
  { kind: 'google_oauth', prefixes: ['ya29.'], body: dotted, min: 20 },
  { kind: 'google_oauth', prefixes: ['GOCSPX-'], body: dashed, min: 28, max: 28 },
  { kind: 'google_oauth', prefixes: ['1//0'], body: dashed, min: 40 },
  { kind: 'huggingface_token', prefixes: ['hf_', 'api_org_'], body: alnum, min: 30 },
  { kind: 'groq_key', prefixes: ['gsk_'], body: alnum, min: 40 },
  { kind: 'replicate_token', prefixes: ['r8_'], body: alnum, min: 30 },
  { kind: 'xai_key', prefixes: ['xai-'], body: alnum, min: 60 },
  { kind: 'perplexity_key', prefixes: ['pplx-'], body: alnum, min: 40 },
  { kind: 'fireworks_key', prefixes: ['fw_'], body: alnum, min: 22, strict: true },
  { kind: 'cerebras_key', prefixes: ['csk-'], body: alnum, min: 40 },
  { kind: 'together_key', prefixes: ['tgp_v1_'], body: dashed, min: 30 },
  { kind: 'nvidia_key', prefixes: ['nvapi-'], body: dashed, min: 40 },
  { kind: 'langsmith_key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: word, min: 32 },
  { kind: 'pinecone_key', prefixes: ['pcsk_'], body: word, min: 40 },
  { kind: 'tavily_key', prefixes: ['tvly-'], body: dashed, min: 24, strict: true },
  { kind: 'elevenlabs_key', prefixes: ['sk_'], body: hex, min: 48, max: 48 },
  { kind: 'aws_bedrock_key', prefixes: ['ABSK', 'bedrock-api-key-'], body: base64, min: 60 },
  // Cloud providers, code hosting, build and package services, and secret stores.
  { kind: 'aws_access_key', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: upperAlnum, min: 16, max: 16 },
  { kind: 'aws_access_key', prefixes: ['A3T'], body: upperAlnum, min: 17, max: 17, minEntropy: 2.5 },
  { kind: 'github_token', prefixes: ['github_pat_'], body: word, min: 40 },
  {
    kind: 'gitlab_token',
    prefixes: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glsoat-',
      'glimt-',
      'glagent-',
      'gloas-',
    ],
    body: dotted,
    min: 20,
  },
  { kind: 'pypi_token', prefixes: ['pypi-'], body: dashed, min: 50 },
  { kind: 'rubygems_key', prefixes: ['rubygems_'], body: hex, min: 48, max: 48 },
  { kind: 'docker_token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: dashed, min: 20 },
  { kind: 'digitalocean_token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: hex, min: 64, max: 64 },
  { kind: 'heroku_key', prefixes: ['HRKU-'], body: dashed, min: 36 },
  { kind: 'databricks_token', prefixes: ['dapi'], body: dashed, min: 34, max: 34, pattern: /^[0-9A-Fa-f]{32}-\d/ },
  { kind: 'databricks_token', prefixes: ['dapi'], body: hex, min: 32, max: 32 },
  { kind: 'cloudflare_token', prefixes: ['v1.0-'], body: dashed, min: 150, max: 190 },
  { kind: 'cloudflare_token', prefixes: ['cfut_', 'cfat_', 'cfk_'], body: dashed, min: 32 },
  { kind: 'vault_token', prefixes: ['hvs.', 'hvb.', 'hvr.'], body: dashed, min: 24 },
  { kind: 'vault_token', prefixes: ['s.'], body: alnum, min: 24, max: 24, strict: true },
  { kind: 'age_key', prefixes: ['AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-PQ-1', 'age-secret-key-1'], body: alnum, min: 40 },
  { kind: 'onepassword_token', prefixes: ['ops_eyJ'], body: dashed, min: 60 },
  {
    kind: 'onepassword_token',
    prefixes: ['A3-'],
    body: dashed,
    min: 29,
    pattern: /^[0-9A-Z]{5,6}-(?:[0-9A-Z]{11}-[0-9A-Z]{5}|[0-9A-Z]{5,6}-[0-9A-Z]{5,6})(?:-[0-9A-Z]{5,6}){2}/,
    accepts: (body) => /\d/.test(body),
  },
  {
    kind: 'doppler_token',
    prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    body: dotted,
    min: 40,
  },
  { kind: 'pulumi_token', prefixes: ['pul-'], body: hex, min: 40, max: 40 },
  { kind: 'flyio_token', prefixes: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'], body: anyBase64, min: 40 },
  { kind: 'tailscale_key', prefixes: ['tskey-'], body: dashed, min: 24 },
  { kind: 'supabase_key', prefixes: ['sbp_', 'sb_secret_'], body: dashed, min: 30 },
  { kind: 'planetscale_key', prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: padded, min: 32 },
  { kind: 'buildkite_token', prefixes: ['bkua_'], body: hex, min: 40, max: 40 },
  { kind: 'circleci_token', prefixes: ['CCIPAT_', 'CCIPRJ_'], body: word, min: 40 },
  { kind: 'netlify_token', prefixes: ['nfp_'], body: alnum, min: 36 },
  { kind: 'grafana_token', prefixes: ['glsa_'], body: word, min: 40 },
  { kind: 'grafana_token', prefixes: ['glc_'], body: base64, min: 32 },
  { kind: 'sentry_token', prefixes: ['sntrys_', 'sntryu_'], body: base64, min: 40 },
  { kind: 'newrelic_key', prefixes: ['NRAK-', 'NRRA-'], body: alnum, min: 27 },
  { kind: 'newrelic_key', prefixes: ['NRII-'], body: dashed, min: 27 },
  { kind: 'dynatrace_token', prefixes: ['dt0c01.', 'dt0s01.', 'dt0s16.'], body: dotted, min: 60 },
  // Payment, mail, chat and office services, webhook URLs, and headers.
  {
    kind: 'stripe_key',
    prefixes: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    body: alnum,
    min: 16,
  },
  { kind: 'webhook_secret', prefixes: ['whsec_'], body: base64, min: 24 },
  {
    kind: 'slack_token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxe-', 'xoxo-', 'xapp-'],
    body: dashed,
    min: 20,
  },
  { kind: 'slack_token', prefixes: ['xoxe.'], body: dashed, min: 20 },
  { kind: 'slack_token', prefixes: ['xoxd-'], body: path, min: 20 },
  {
    kind: 'slack_webhook',
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/', 'hooks.slack.com/triggers/'],
    body: path,
    min: 30,
  },
  {
    kind: 'discord_webhook',
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    body: path,
    min: 60,
  },
  { kind: 'discord_token', prefixes: ['mfa.'], body: dashed, min: 80, max: 100 },
  { kind: 'teams_webhook', prefixes: ['webhook.office.com/webhookb2/'], body: urlPath, min: 60 },
  {
    kind: 'sendgrid_key',
    prefixes: ['SG.'],
    body: dotted,
    min: 60,
    max: 70,
    accepts: (body) => body.charAt(22) === '.',
  },
  { kind: 'mailgun_key', prefixes: ['key-'], body: hex, min: 32, max: 32 },
  { kind: 'sendinblue_key', prefixes: ['xkeysib-'], body: dashed, min: 64 },
  { kind: 'resend_key', prefixes: ['re_'], body: word, min: 30, strict: true },
  { kind: 'shopify_token', prefixes: ['shptka_'], body: hex, min: 32, max: 32 },
  { kind: 'square_token', prefixes: ['sq0atp-', 'sq0csp-', 'sq0idp-'], body: dashed, min: 22 },
  { kind: 'square_token', prefixes: ['EAAA'], body: dashed, min: 60, max: 60 },
  { kind: 'facebook_token', prefixes: ['EAAB', 'EAAC', 'EAAD', 'EAAG', 'EAAJ', 'EAAM'], body: alnum, min: 80 },
  {
    kind: 'airtable_token',
    prefixes: ['pat'],
    body: dotted,
    min: 79,
    max: 79,
    accepts: (body) => body.charAt(14) === '.',
  },
  { kind: 'linear_key', prefixes: ['lin_oauth_'], body: alnum, min: 40 },
  { kind: 'notion_token', prefixes: ['ntn_', 'secret_'], body: alnum, min: 43, max: 50 },
  { kind: 'figma_token', prefixes: ['figd_', 'figu_', 'figo_'], body: dashed, min: 36 },
  { kind: 'atlassian_token', prefixes: ['ATATT3', 'ATCTT3', 'ATBB'], body: bearer, min: 28 },
  { kind: 'postman_key', prefixes: ['PMAK-'], body: dashed, min: 50 },
  { kind: 'hubspot_token', prefixes: ['pat-na1-', 'pat-na2-', 'pat-eu1-'], body: dashed, min: 36, max: 36 },
  { kind: 'dropbox_token', prefixes: ['sl.'], body: dashed, min: 100 },
  { kind: 'contentful_token', prefixes: ['CFPAT-'], body: dashed, min: 40 },
  { kind: 'razorpay_key', prefixes: ['rzp_live_', 'rzp_test_'], body: alnum, min: 14 },
  { kind: 'wallet_key', prefixes: ['xprv', 'yprv', 'zprv', 'tprv'], body: alnum, min: 107, max: 107 },
  { kind: 'easypost_key', prefixes: ['EZAK', 'EZTK'], body: alnum, min: 54 },
  {
    kind: 'bearer_token',
    prefixes: ['Bearer ', 'bearer ', 'BEARER '],
    body: bearer,
    min: 8,
    keepPrefix: true,
    accepts: isBearer,
  },
  {
    kind: 'basic_authorization',
    prefixes: ['Basic ', 'basic ', 'BASIC '],
    body: base64,
    min: 8,
    keepPrefix: true,
    accepts: isBasicCredential,
  },
]

/** An installation may use another brand word in its keys, so they are recognized by their checksum. */
function hasKeyChecksum(body: string): boolean {
  const brand = body.slice(0, body.lastIndexOf('_') + 1)
  return ['sk_', 'ck_'].some((prefix) => isWellFormedApiKey(prefix + brand, prefix + body))
}

/** A real token looks generated or mixed; `Bearer bonds` is prose. */
function isBearer(body: string): boolean {
  return looksRandom(body) || (/\d/.test(body) && isMixed(body))
}
