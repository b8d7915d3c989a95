import CNettle
import Testing

@testable import Core

/// The primitives as they are linked, against the vectors their standards publish.
@Suite struct PrimitiveVectorTests {
  private func secret(_ bytes: [UInt8]) -> SecretBytes {
    SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  private static let longKey = [UInt8](repeating: 0xaa, count: 131)
  private static let macs: [(key: [UInt8], text: [UInt8], sha256: String, sha512: String)] = [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      """
      87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde
      daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854
      """
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      """
      164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
      9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
      """
    ),
    (
      longKey, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      """
      80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352
      6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
      """
    ),
  ]

  @Test("HMAC-SHA256 and HMAC-SHA512: RFC 4231, cases 1, 2 and 6", arguments: 0..<3)
  func hmac(_ index: Int) {
    let vector = Self.macs[index]
    var short = hmac_sha256_ctx()
    nettle_hmac_sha256_set_key(&short, vector.key.count, vector.key)
    nettle_hmac_sha256_update(&short, vector.text.count, vector.text)
    var digest = [UInt8](repeating: 0, count: 32)
    nettle_hmac_sha256_digest(&short, 32, &digest)
    #expect(digest == hexBytes(vector.sha256))
    var long = hmac_sha512_ctx()
    nettle_hmac_sha512_set_key(&long, vector.key.count, vector.key)
    // Twice: a page's code counts on the keyed state coming back.
    for _ in 0..<2 {
      nettle_hmac_sha512_update(&long, vector.text.count, vector.text)
      digest = [UInt8](repeating: 0, count: 64)
      nettle_hmac_sha512_digest(&long, 64, &digest)
      #expect(digest == hexBytes(vector.sha512))
    }
  }

  @Test(
    "PBKDF2-HMAC-SHA512: the vectors of RFC 6070 with this hash",
    arguments: [
      (1 as UInt32, "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"),
      (2, "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"),
      (4096, "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"),
    ])
  func pbkdf2(rounds: UInt32, expected: String) {
    let key = PageCipher.key(
      passphrase: secret(Array("password".utf8)), salt: Array("salt".utf8), rounds: rounds)
    #expect(key.equals(secret(hexBytes(expected))))
  }

  @Test("AES-256 in CBC mode: NIST SP 800-38A, F.2.5 and F.2.6")
  func cbc() {
    let key = hexBytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    let vector = hexBytes("000102030405060708090a0b0c0d0e0f")
    let plain = hexBytes(
      """
      6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
      30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
      """)
    let sealed = hexBytes(
      """
      f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d
      39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b
      """)
    var context = aes256_ctx()
    var chain = vector
    var result = [UInt8](repeating: 0, count: plain.count)
    nettle_aes256_set_encrypt_key(&context, key)
    nettle_cbc_aes256_encrypt(&context, &chain, plain.count, &result, plain)
    #expect(result == sealed)
  }

  /// Test cases 13 to 16 of McGrew and Viega, which SP 800-38D refers to, all with a 256-bit key.
  private static let gcm:
    [(key: String, nonce: String, plain: String, extra: String, out: String)] = [
      (
        String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
        "530f8afbc74536b9a963b4f1c4cb738b"
      ),
      (
        String(repeating: "00", count: 32), String(repeating: "00", count: 12),
        String(repeating: "00", count: 16), "",
        "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
      ),
      (
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """, "",
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        b094dac5d93471bdec1a502270e3cc6c
        """
      ),
      (
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """, "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        76fc6ece0f4e1768cddf8853bb2d551b
        """
      ),
    ]

  @Test("AES-256 in GCM mode: the vectors of NIST SP 800-38D", arguments: 0..<4)
  func gcm(_ index: Int) {
    let vector = Self.gcm[index]
    let cipher = SegmentCipher(key: secret(hexBytes(vector.key)))
    let plain = hexBytes(vector.plain)
    var sealed = [UInt8](repeating: 0, count: plain.count + SegmentCipher.tagSize)
    let (nonce, extra) = (hexBytes(vector.nonce), hexBytes(vector.extra))
    plain.withUnsafeBytes { plain in
      sealed.withUnsafeMutableBytes {
        cipher.seal(plain, into: $0, nonce: nonce, associated: extra)
      }
    }
    #expect(sealed == hexBytes(vector.out))
    for flipped in [nil] + sealed.indices.map({ $0 as Int? }) {
      var changed = sealed
      if let flipped { changed[flipped] ^= 1 }
      var opened = [UInt8](repeating: 7, count: plain.count)
      let isIntact = changed.withUnsafeBytes { sealed in
        opened.withUnsafeMutableBytes {
          cipher.open(sealed, into: $0, nonce: nonce, associated: extra)
        }
      }
      #expect(isIntact == (flipped == nil))
      #expect(opened == (isIntact ? plain : [UInt8](repeating: 0, count: plain.count)))
    }
  }
}
