import { alphabets } from './alphabets.ts'
import { isBasicCredential } from './is-basic-credential.ts'
import { isMixed, looksRandom } from './looks-random.ts'
import type { TokenRule } from './token-rule.ts'

const { alnum, base64, bearer, dashed, dotted, hex, path, urlPath, word } = alphabets

/** Keys of payment, mail, chat and office services as their owners document them, webhook addresses, and headers. */
export const serviceTokens = [
  { kind: 'stripe_key', prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], body: alnum, min: 16 },
  { kind: 'webhook_secret', prefixes: ['whsec_'], body: base64, min: 24 },
  {
    kind: 'slack_token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxc-', 'xoxe-', 'xapp-'],
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
  { kind: 'teams_webhook', prefixes: ['webhook.office.com/webhookb2/'], body: urlPath, min: 60 },
  { kind: 'twilio_key', prefixes: ['SK'], body: hex, min: 32, max: 32 },
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
  { kind: 'shopify_token', prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_'], body: hex, min: 32, max: 32 },
  { kind: 'square_token', prefixes: ['sq0atp-', 'sq0csp-', 'sq0idp-'], body: dashed, min: 22 },
  { kind: 'square_token', prefixes: ['EAAA'], body: dashed, min: 60, max: 60 },
  { kind: 'facebook_token', prefixes: ['EAAC', 'EAAB', 'EAAG', 'EAAJ', 'EAAD'], body: alnum, min: 80 },
  {
    kind: 'airtable_token',
    prefixes: ['pat'],
    body: dotted,
    min: 79,
    max: 79,
    accepts: (body) => body.charAt(14) === '.',
  },
  { kind: 'linear_key', prefixes: ['lin_api_', 'lin_oauth_'], body: alnum, min: 40 },
  { kind: 'notion_token', prefixes: ['ntn_', 'secret_'], body: alnum, min: 43, max: 50 },
  { kind: 'figma_token', prefixes: ['figd_', 'figu_', 'figo_'], body: dashed, min: 36 },
  { kind: 'atlassian_token', prefixes: ['ATATT3', 'ATCTT3', 'ATBB'], body: bearer, min: 28 },
  { kind: 'postman_key', prefixes: ['PMAK-'], body: dashed, min: 50 },
  { kind: 'hubspot_token', prefixes: ['pat-na1-', 'pat-na2-', 'pat-eu1-'], body: dashed, min: 36, max: 36 },
  { kind: 'dropbox_token', prefixes: ['sl.'], body: dashed, min: 100 },
  { kind: 'contentful_token', prefixes: ['CFPAT-'], body: dashed, min: 40 },
  { kind: 'razorpay_key', prefixes: ['rzp_live_', 'rzp_test_'], body: alnum, min: 14 },
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
] as const satisfies readonly TokenRule[]

/** `Bearer bonds` is prose; what a server hands out is mixed. */
function isBearer(body: string): boolean {
  return looksRandom(body) || (/\d/.test(body) && isMixed(body))
}
