/**
 * Where to go after the sign-in: only to a path of this origin, so that a link to the sign-in page cannot lead elsewhere.
 *
 * @example safeNext('/w/demo/logs?tag=a') // '/w/demo/logs?tag=a'
 * @example safeNext('//evil.example') // '/'
 */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return '/'
  const url = new URL(next, 'http://this.invalid')
  return url.host === 'this.invalid' ? `${url.pathname}${url.search}${url.hash}` : '/'
}
