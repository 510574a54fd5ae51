const regionalHost = /^bedrock-runtime(-fips)?\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/

/** The base URL in another region if it is one of Bedrock's own; any other address is unchanged. */
export function regionalUrl(baseUrl: string, region: string | null): string {
  const url = new URL(baseUrl)
  const [, fips, named, china] = regionalHost.exec(url.hostname) ?? []
  if (region === null || named === undefined) return baseUrl
  url.hostname = `bedrock-runtime${fips ?? ''}.${region}.amazonaws.com${china ?? ''}`
  return url.href.replace(/\/$/, '')
}

/** The region of one of Bedrock's own addresses, or null. */
export function regionOf(baseUrl: string): string | null {
  return regionalHost.exec(new URL(baseUrl).hostname)?.[2] ?? null
}
