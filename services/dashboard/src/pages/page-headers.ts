/** What a browser is told about every answer of the dashboard. */
export function securityHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': policyOfAnswers,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': permissions,
    ...(origin.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** For every answer that is no page. What a workspace stores must do nothing when a browser opens it as a document. */
const policyOfAnswers = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Everything is off but what passkeys need, and calls of voice agents. */
const permissions = [
  'accelerometer',
  'bluetooth',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'midi',
  'payment',
  'serial',
  'usb',
]
  .map((name) => `${name}=()`)
  .concat('microphone=(self)', 'publickey-credentials-get=(self)', 'publickey-credentials-create=(self)')
  .join(', ')

/**
 * Only our own files run, and nothing else is loaded: answers of models are shown in these pages.
 *
 * @param nonce of the style elements that our own scripts create
 */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    // Recordings of calls.
    "media-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Vite writes it into `index.html`, where the nonce belongs. */
export const noncePlaceholder = '__CSP_NONCE__'
