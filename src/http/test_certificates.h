#pragma once
// Certificates for tests, valid until 2126. Made with OpenSSL 3:
//   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 36500 -subj /CN=test-ca
//   openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=server
//   openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 36500 -out server.pem
//     -extfile <(echo subjectAltName=IP:127.0.0.1,DNS:localhost)
// and in the same way `second` (another server, DNS:second.test) and `alice` (a client); `mallory` signed herself.

namespace allot::http::test {

inline constexpr char kCaPem[] = R"(-----BEGIN CERTIFICATE-----
MIIBejCCASGgAwIBAgIULT+WDErtU8AhDPC7y+xn+n9XBR0wCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAgFw0yNjExMTYwMDMwMTdaGA8yMTI2MTAyMzAw
MzAxN1owEjEQMA4GA1UEAwwHdGVzdC1jYTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABCMLopE9CRCc/q5GexDOolFUxbsWOe+WrPrTjAaAMH/iZHACqW/g2JE3hqEk
MsF9eGVe8/y/1psKeSe7j+ibVymjUzBRMB0GA1UdDgQWBBR4D/TkDOnYdLc8u9Km
ABnjjiyDqzAfBgNVHSMEGDAWgBR4D/TkDOnYdLc8u9KmABnjjiyDqzAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIHeoxUT299cxJdJZb1BOlorymoKG
oQIXCVqM+pZcWzmTAiB2udmUAvKm6lJAN9Q7uREdlIZ8O3K7jRAglFYiahI1eQ==
-----END CERTIFICATE-----
)";

inline constexpr char kServerPem[] = R"(-----BEGIN CERTIFICATE-----
MIIBhjCCASugAwIBAgIUUUzYugmG8iXT9R++l5/q8zxwpFgwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAgFw0yNjExMTYwMDMwMTdaGA8yMTI2MTAyMzAw
MzAxN1owETEPMA0GA1UEAwwGc2VydmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEMH0TlkPeBPKls+CHJ0DA4YcXhKCse3AEt5zvK7tJ87W1BnXCuQdE7zUPlk86
gF4TfBRabnaNrMiBLpjQelRBWaNeMFwwGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxo
b3N0MB0GA1UdDgQWBBQUCa14wLZ9ZtKsXt+laO6GLOkV3zAfBgNVHSMEGDAWgBR4
D/TkDOnYdLc8u9KmABnjjiyDqzAKBggqhkjOPQQDAgNJADBGAiEAn5zkEoCqiscC
MqcDKZ04posut+9HRhSFUDoqzdApWeQCIQC5RD7T5OZbbWIZOaUhShQ4DTasQEj0
E0YDxdHvhcocxA==
-----END CERTIFICATE-----
)";

inline constexpr char kServerKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTvDYAD6z3yNFBuqP
NRBBFjzMFNIin57Sn7I4E3Rqz8ChRANCAAQwfROWQ94E8qWz4IcnQMDhhxeEoKx7
cAS3nO8ru0nztbUGdcK5B0TvNQ+WTzqAXhN8FFpudo2syIEumNB6VEFZ
-----END PRIVATE KEY-----
)";

inline constexpr char kSecondPem[] = R"(-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUUUzYugmG8iXT9R++l5/q8zxwpFkwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAgFw0yNjExMTYwMDMwMTdaGA8yMTI2MTAyMzAw
MzAxN1owETEPMA0GA1UEAwwGc2Vjb25kMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEt9hWn3WeHmBrth+QLbMNmgGCda/nKabs4bMpCa6M4FV8O4oxN7tmyreP0pKm
aiyRPrzTq1TGhs3Q9sNXxVArEqNgMF4wHAYDVR0RBBUwE4cEfwAAAYILc2Vjb25k
LnRlc3QwHQYDVR0OBBYEFAc0bXacimGb4Mk8YoBmuMCTeY7kMB8GA1UdIwQYMBaA
FHgP9OQM6dh0tzy70qYAGeOOLIOrMAoGCCqGSM49BAMCA0cAMEQCIFCXlc6btX52
9EWwtuWp2pXNTyUVg24zsd+FN6sVl5cgAiAnCZlbF8jkKzjfMR+DzAd+M5Cdtlpq
q9fxgNa7sgxAuw==
-----END CERTIFICATE-----
)";

inline constexpr char kSecondKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSG8V5v8+GdRQAbnk
DBhAbbzgpvhPrHFfoxw24g2ejiihRANCAAS32FafdZ4eYGu2H5Atsw2aAYJ1r+cp
puzhsykJrozgVXw7ijE3u2bKt4/SkqZqLJE+vNOrVMaGzdD2w1fFUCsS
-----END PRIVATE KEY-----
)";

inline constexpr char kAlicePem[] = R"(-----BEGIN CERTIFICATE-----
MIIBejCCASCgAwIBAgIUUUzYugmG8iXT9R++l5/q8zxwpFowCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAgFw0yNjExMTYwMDMwMTdaGA8yMTI2MTAyMzAw
MzAxN1owEDEOMAwGA1UEAwwFYWxpY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AARj/zc9EoGjZ4b9myduWwbSIlJQKx735MeX9fvRevkR32umH+obq1lzlsZq5JEQ
29NiwKW/zMBdeVPLG/hfc35+o1QwUjAQBgNVHREECTAHggVhbGljZTAdBgNVHQ4E
FgQU5xIio7F4yRpuSzWrwseRYuU+e1YwHwYDVR0jBBgwFoAUeA/05Azp2HS3PLvS
pgAZ444sg6swCgYIKoZIzj0EAwIDSAAwRQIgFMAN4fEpqtw/1oyadDrCp0l2G5vI
IR5ZE4Q6txAVTaUCIQCGARodkNsvqmcKIdFK1/64SVj6pfSKXINdg5Yi0h++4Q==
-----END CERTIFICATE-----
)";

inline constexpr char kAliceKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNWqCa0WMFdCQNGMf
SQFwPXA6WxBWkecVSW4+PH9xmcWhRANCAARj/zc9EoGjZ4b9myduWwbSIlJQKx73
5MeX9fvRevkR32umH+obq1lzlsZq5JEQ29NiwKW/zMBdeVPLG/hfc35+
-----END PRIVATE KEY-----
)";

inline constexpr char kMalloryPem[] = R"(-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIULOEGdMu7WYBE+6wdCc11eHVhduUwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHbWFsbG9yeTAgFw0yNjExMTYwMDMwMTdaGA8yMTI2MTAyMzAw
MzAxN1owEjEQMA4GA1UEAwwHbWFsbG9yeTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABAsVY0LdPlMp4Qd9S7oEwU87vmfBxPXvWpdFd8EmddqdzfDknootXRekjHH1
Qh3KKBQvxJS/wr7psHPY5hyPu3WjUzBRMB0GA1UdDgQWBBTMFfF/pfQgjqgB7MBj
OkXoLgN7fTAfBgNVHSMEGDAWgBTMFfF/pfQgjqgB7MBjOkXoLgN7fTAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIEJC4hiEkCXlp8GusumkMwVLWgm6
9fruY1B73a9y8VN5AiEAjaVtSm5beKGrIVtu8GyC3gVbsPctdUpk1YetbngSPzs=
-----END CERTIFICATE-----
)";

inline constexpr char kMalloryKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwnpVOMyPj2e7CDBT
ZQFCjed7JHk9t0S15tUcdmaIMDChRANCAAQLFWNC3T5TKeEHfUu6BMFPO75nwcT1
71qXRXfBJnXanc3w5J6KLV0XpIxx9UIdyigUL8SUv8K+6bBz2OYcj7t1
-----END PRIVATE KEY-----
)";

}  // namespace allot::http::test
