// One expression per rule, each of them true; checked against Kubernetes 1.36.4.

#include "base/test_util.h"
#include "cel/test_device.h"

namespace allot::cel {
namespace {

using testing::StartsWith;

void AllTrue(std::initializer_list<std::string_view> expressions) {
  for (const std::string_view expression : expressions) EXPECT_EQ(Ask(expression), "true") << expression;
}
void AllFail(std::initializer_list<std::string_view> expressions) {
  for (const std::string_view expression : expressions) EXPECT_THAT(Ask(expression), StartsWith("error: ")) << expression;
}

TEST(Functions, Arithmetic) {
  AllTrue({"7 / 2 == 3 && -7 % 3 == -1", "1.0 / 0.0 > 1e300", "'a' + 'b' == 'ab'", "[1] + [2] == [1, 2]", "b'a' + b'b' == b'ab'"});
  AllFail({"9223372036854775807 + 1 > 0", "0u - 1u > 0u", "-9223372036854775808 / -1 > 0", "1 % 0 == 0", "-(-9223372036854775808) > 0"});
}

TEST(Functions, NumbersOfDifferentKindsCompare) {
  AllTrue({"1 < 2.5", "dyn(1) == 1u", "dyn(1u) in {1: 1}", "dyn(3) in [3.0]", "{1: 'a'}[dyn(1.0)] == 'a'",
           "!(dyn(double('NaN')) == double('NaN'))"});
  AllFail({"double('NaN') < 1.0", "dyn(semver('1.0.0')) in {'a': 1}", "dyn(b'x') in {'a': 1}"});
}

TEST(Functions, Conversions) {
  AllTrue({"string(1234567.0) == '1.234567e+06'", "int(-1.9) == -1", "double('0x1p-2') == 0.25", "string(duration('1h1.5s')) == '3601.5s'",
           "string(timestamp('2020-01-01T00:00:00+02:30')) == '2020-01-01T00:00:00+02:30'", "type(1) == int", "bool('T')"});
  AllFail({"int(device.driver) == 1", "string(dyn(lists.range(1))) == ''"});
}

TEST(Functions, Time) {
  AllTrue({"timestamp('2020-02-29T12:30:45.5Z').getDayOfYear() == 59", "timestamp('2020-02-29T12:30:45Z').getMinutes('-02:30') == 0",
           "timestamp(2) - timestamp(1) == duration('1s')", "duration('1h30m').getMinutes() == 90",
           "duration('.5s') == duration('500ms')"});
  AllFail({"timestamp('9999-12-31T23:59:59Z') + duration('1s') > timestamp(0)", "timestamp(0).getHours('Nowhere/X') == 0",
           "timestamp(0).getHours('Europe') == 0", "timestamp(0).getHours('\\x00') == 0"});
}

TEST(Functions, Strings) {
  AllTrue({"'héllo'.indexOf('l') == 2", "'hello'.lastIndexOf('l', 2) == 2", "'abc'.replace('', '-') == '-a-b-c-'",
           "'a,b'.split(',', 2) == ['a', 'b']", "'héllo'.substring(1, 2) == 'é'", "'abc'.charAt(3) == ''", "['a', 'b'].join('-') == 'a-b'",
           "strings.quote('a\"') == '\"a\\\\\"\"'"});
  AllFail({"'abc'.charAt(4) == ''", "'hello'.substring(3, 1) == ''", "'a'.indexOf('x', -1) == 0"});
}

TEST(Functions, FormatText) {
  AllTrue({"'%s-%d'.format(['x', 3]) == 'x-3'", "'%.3f'.format([1234567.5]) == '1,234,567.500'",
           "'%e'.format([1052.032911275]) == '1.052033×10⁰³'", "'%b %o %x %X'.format([5, 8, 255, 255]) == '101 10 ff FF'",
           "'%s'.format([{'a': [1, 2.5]}]) == '{\"a\":[1, 2.500000]}'"});
}

TEST(Functions, Regex) {
  AllTrue({"'abc'.matches('^a.c$')", "'a1b22'.findAll('[0-9]+') == ['1', '22']", "'abc'.findAll('') == ['', '', '', '']",
           "'abc'.find('[bc]+') == 'bc'"});
  AllFail({"'abc'.matches('(' + device.driver)"});
}

TEST(Functions, Lists) {
  AllTrue({"[3, 1, 2].sort() == [1, 2, 3]", "['ccc', 'a'].sortBy(s, s.size()) == ['a', 'ccc']", "[[1], [2, 3]].flatten() == [1, 2, 3]",
           "[1, 1, 2].distinct() == [1, 2]", "[1, 2, 3].slice(1, 3) == [2, 3]", "[1, 2].sum() == 3 && [1, 2].max() == 2",
           "[1, 2, 2].isSorted()", "sets.equivalent([1, 1, 2], [2, 1])", "lists.range(3) == [0, 1, 2]", "[1, 2].reverse() == [2, 1]"});
  AllFail({"[1].slice(0, 2) == []", "[].min() == 1"});
}

TEST(Functions, Comprehensions) {
  AllTrue({"[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
           "[5, 6].transformList(i, v, v + i) == [5, 7]", "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
           "[1, 2].exists_one(x, x == 2)", "cel.bind(x, 2, x * x) == 4"});
  AllFail({"{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k}) == {}"});
}

TEST(Functions, Optionals) {
  AllTrue({"{'a': {'b': 1}}.?a.b.value() == 1", "[1][?5].orValue(7) == 7", "optional.none().or(optional.of(2)).value() == 2",
           "[1, ?optional.none()] == [1]", "optional.of(1).optMap(x, x + 1).value() == 2", "!optional.ofNonZeroValue('').hasValue()"});
  AllFail({"optional.none().value() == 1"});
}

TEST(Functions, Quantities) {
  AllTrue({"quantity('1Gi').add(quantity('1Gi')) == quantity('2Gi')", "quantity('1').sub(2).compareTo(quantity('-1')) == 0",
           "!isQuantity('1Gx')", "quantity('1500m').asApproximateFloat() == 1.5", "sign(quantity('-1')) == -1", "quantity('1') != dyn(1)"});
  AllFail({"quantity('1500m').asInteger() == 1", "quantity('1') == dyn(1)", "quantity('3') == quantity('1').add(2)"});
}

TEST(Functions, Networks) {
  AllTrue({"ip('2001:db8:0:0:1:0:0:1') == ip('2001:db8::1:0:0:1')", "ip.isCanonical('2001:db8::abcd')", "!isIP('::ffff:1.2.3.4')",
           "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
           "!isCIDR('10.0.0.0/33')"});
}

TEST(Functions, Urls) {
  AllTrue({"url('https://[::1]:80/').getHostname() == '::1'", "url('https://a/a b').getEscapedPath() == '/a%20b'",
           "!isURL('x') && isURL('/x') && !isURL('https://[[::1]:8443/x')", "url('https://a/?x=1&x=2').getQuery() == {'x': ['1', '2']}"});
}

TEST(Functions, NamedFormats) {
  AllTrue({"!format.dns1123Label().validate('abc').hasValue()",
           "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
           "!format.uuid().validate('4cf8db2d-06c0-7d70-1a51-e59b25b2c16c').hasValue()", "!format.named('nope').hasValue()",
           "format.datetime().validate('2020-01-01T24:00:00Z').hasValue()"});
}

}  // namespace
}  // namespace allot::cel
