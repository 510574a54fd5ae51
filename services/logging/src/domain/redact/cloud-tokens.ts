import { alphabets } from './alphabets.ts'
import { isBech32 } from './is-bech32.ts'
import type { TokenRule } from './token-rule.ts'

const { alnum, base64, bech32, dashed, dotted, hex, upperAlnum, word } = alphabets

/** Keys of clouds, of where code is kept, built and published, and of secret stores, as their owners document them. */
export const cloudTokens = [
  { kind: 'aws_access_key', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], body: upperAlnum, min: 16, max: 16 },
  { kind: 'github_token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], body: alnum, min: 36 },
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
  { kind: 'npm_token', prefixes: ['npm_'], body: alnum, min: 36, max: 36 },
  { kind: 'pypi_token', prefixes: ['pypi-'], body: dashed, min: 50 },
  { kind: 'rubygems_key', prefixes: ['rubygems_'], body: hex, min: 48, max: 48 },
  { kind: 'docker_token', prefixes: ['dckr_pat_', 'dckr_oat_'], body: dashed, min: 20 },
  { kind: 'digitalocean_token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: hex, min: 64, max: 64 },
  { kind: 'heroku_key', prefixes: ['HRKU-'], body: dashed, min: 36 },
  { kind: 'databricks_token', prefixes: ['dapi'], body: hex, min: 32, max: 32 },
  { kind: 'cloudflare_token', prefixes: ['v1.0-'], body: dashed, min: 150, max: 190 },
  { kind: 'cloudflare_token', prefixes: ['cfut_', 'cfat_', 'cfk_'], body: dashed, min: 32 },
  { kind: 'vault_token', prefixes: ['hvs.', 'hvb.', 'hvr.'], body: dashed, min: 24 },
  { kind: 'vault_token', prefixes: ['s.'], body: alnum, min: 24, max: 24, strict: true },
  {
    kind: 'age_key',
    prefixes: ['AGE-SECRET-KEY-1'],
    body: bech32,
    min: 58,
    max: 58,
    accepts: (body) => isBech32('age-secret-key-', body.toLowerCase()),
  },
  { kind: 'onepassword_token', prefixes: ['ops_eyJ'], body: dashed, min: 60 },
  {
    kind: 'doppler_token',
    prefixes: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    body: dotted,
    min: 40,
  },
  { kind: 'pulumi_token', prefixes: ['pul-'], body: hex, min: 40, max: 40 },
  { kind: 'flyio_token', prefixes: ['fo1_', 'fm1r_', 'fm2_'], body: base64, min: 40 },
  { kind: 'tailscale_key', prefixes: ['tskey-'], body: dashed, min: 24 },
  { kind: 'supabase_key', prefixes: ['sbp_', 'sb_secret_'], body: dashed, min: 30 },
  { kind: 'planetscale_key', prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'], body: dotted, min: 32 },
  { kind: 'buildkite_token', prefixes: ['bkua_'], body: hex, min: 40, max: 40 },
  { kind: 'circleci_token', prefixes: ['CCIPAT_', 'CCIPRJ_'], body: word, min: 40 },
  { kind: 'netlify_token', prefixes: ['nfp_'], body: alnum, min: 36 },
  { kind: 'grafana_token', prefixes: ['glsa_'], body: word, min: 40 },
  { kind: 'grafana_token', prefixes: ['glc_'], body: base64, min: 32 },
  { kind: 'sentry_token', prefixes: ['sntrys_', 'sntryu_'], body: base64, min: 40 },
  { kind: 'newrelic_key', prefixes: ['NRAK-', 'NRII-', 'NRRA-'], body: alnum, min: 27 },
  { kind: 'dynatrace_token', prefixes: ['dt0c01.', 'dt0s01.', 'dt0s16.'], body: dotted, min: 60 },
] as const satisfies readonly TokenRule[]
