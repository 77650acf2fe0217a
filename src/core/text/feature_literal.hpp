// Recognises features in the form of text, as client libraries send arrays and JSON.
#pragma once

#include <cstddef>

namespace simhash
{

// Whether the whole text is one of these, with at least one element:
//
//   {invoice,"two words",{7}}      an array as drivers write it: no spaces outside quotes
//   ["invoice", "two words", 7]    a JSON array of strings and numbers
//   {"invoice": 2.5, "urgent": 1}  a JSON object of numbers
//
// nulls included. Other JSON can't be a list of features, and is more likely to be a document.
bool is_feature_literal(const char *text, std::size_t length);

} // namespace simhash
