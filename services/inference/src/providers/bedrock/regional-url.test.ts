import { regionalUrl, regionOf } from './regional-url.ts'

describe('regionalUrl', () => {
  it.each([
    ['https://bedrock-runtime.us-east-1.amazonaws.com', 'eu-west-1', 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
    [
      'https://bedrock-runtime-fips.us-east-1.amazonaws.com',
      'us-west-2',
      'https://bedrock-runtime-fips.us-west-2.amazonaws.com',
    ],
    ['https://bedrock-runtime.us-east-1.amazonaws.com', null, 'https://bedrock-runtime.us-east-1.amazonaws.com'],
    ['http://127.0.0.1:8089', 'eu-west-1', 'http://127.0.0.1:8089'],
    [
      'https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com',
      'eu-west-1',
      'https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com',
    ],
  ])('%s in %s is %s', (baseUrl, region, expected) => {
    expect(regionalUrl(baseUrl, region)).toBe(expected)
  })
})

describe('regionOf', () => {
  it("reads the region from Bedrock's own addresses", () => {
    expect(regionOf('https://bedrock-runtime.ap-northeast-1.amazonaws.com')).toBe('ap-northeast-1')
    expect(regionOf('http://127.0.0.1:8089')).toBeNull()
  })
})
